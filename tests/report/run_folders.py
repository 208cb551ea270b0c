"""Run folders as a run leaves them, made without one: of one attempt with many records, and with hostile texts."""

import datetime
import json
import math
from pathlib import Path

BEGIN = datetime.datetime(2026, 11, 21, 20, 15, 4, tzinfo=datetime.timezone.utc)
BREAK_OUT = '</script><script>alert(1)</script><img src=x onerror=alert(2)>"\'&\u2028'


def time_at(seconds):
    return (BEGIN + datetime.timedelta(seconds=seconds)).strftime('%Y-%m-%dT%H:%M:%S.%f')[:-3] + 'Z'


def write_lines(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        for record in records:
            file.write(json.dumps(record) + '\n')


def ledger(seconds, message, hosts):
    cause = {'what': message, 'host': hosts[0], 'rank': 1, 'code': 3, 'since': time_at(seconds - 1), 'stderr_tail': message}
    yield {'time': time_at(-60), 'event': 'submit_intent', 'token': 't', 'launcher': 'local', 'host': 'here', 'user': 'me', 'dropped': [],
           'commit': message, 'branch': message, 'version': '0.2.0'}
    yield {'time': time_at(-59), 'event': 'submitted', 'launcher': 'local', 'host': 'here', 'token': 't'}
    yield {'time': time_at(0), 'event': 'head_started', 'attempt': 0, 'host': hosts[0], 'pid': 1, 'pid_start': 1, 'boot_id': 'b', 'job_id': '',
           'cluster': '', 'restart_count': 0, 'resumes_from': None}
    yield {'time': time_at(1), 'event': 'attempt_started', 'attempt': 0, 'master_address': 'h', 'master_port': 1, 'hosts': hosts}
    yield {'time': time_at(seconds), 'event': 'attempt_ended', 'attempt': 0, 'outcome': 'failed', 'message': message, 'last_step': 10, 'cause': cause}
    yield {'time': time_at(seconds + 1), 'event': 'run_ended', 'attempt': 0, 'state': 'failed', 'exit_code': 1, 'message': message, 'cause': cause}


def training_record(step, ranks):
    return {'kind': 'train', 'attempt': 0, 'step': step, 'epoch': 1 + step // 1000, 'loss': 2 / math.sqrt(step) + step % 7 / 100,
            'accuracy': 1 - 1 / (1 + step / 500), 'samples': 64, 'time': time_at(2 + step / 10), 'total_steps': 1000000,
            'learning_rate': 0.1 * math.cos(step / 70000), 'samples_per_second': 600 + step % 41, 'step_ms_p50': 100 + step % 5,
            'step_ms_p90': 110 + step % 11, 'step_ms_p99': 130 + step % 17, 'step_ms_max': 150 + step % 53, 'data_wait_ms': 4 + step % 3,
            'forward_ms': 30 + step % 4, 'backward_ms': 55 + step % 9, 'update_ms': 8, 'exposed_communication_ms': 12 + step % 6,
            'slowest_rank': step % ranks, 'slowest_rank_ms': 99, 'median_rank_ms': 91, 'trained_ms': step * 100.0,
            'memory_bytes': 3 << 30, 'peak_memory_bytes': 4 << 30,
            'rank_ms': [round(80 + (rank * 7 + step // 500) % 23 + (30 if rank == 5 and step > 60000 else 0), 3) for rank in range(ranks)]}


def make_run(state, runs, name, records, ranks=8, message='rank 1 on n1 exited with code 3', metric='perplexity', validates=False):
    """`state` is $XDG_STATE_HOME."""
    run_id = name + '-abcd1234'
    folder = Path(runs) / run_id
    origin = message.replace('\u2028', '')
    hosts = ['n1', message] if message.startswith('<') else ['n1']
    write_lines(folder / 'ledger/submit.jsonl', ledger(2 + records / 10, message, hosts))
    (folder / 'spec.yaml').write_text(f'name: {name}  # command line\ncommand: [sh, -c, "exit 3"]  # run.yaml:4\n'
                                      f'args: {{x: {json.dumps(origin)}}}  # {origin}\n', encoding='utf-8')
    lines = [{'kind': 'first_step', 'attempt': 0, 'step': 1, 'time': time_at(3), 'trained_ms': 0.0}]
    for step in range(1, records + 1):
        lines.append({**training_record(step, ranks), metric: step / 3})
        if validates and step % 50 == 0:
            lines.append({'kind': 'train', 'attempt': 0, 'step': step, 'val_loss': 3 / math.sqrt(step), 'time': time_at(2 + step / 10)})
        if step % max(1, records // 20) == 0:
            lines.append({'kind': 'evaluate', 'attempt': 0, 'step': step, 'loss': 2 / math.sqrt(step), 'accuracy': 0.9, 'time': time_at(2 + step / 10)})
            lines.append({'kind': 'checkpoint', 'attempt': 0, 'step': step, 'time': time_at(2 + step / 10), 'bytes': 1 << 20, 'stall_ms': 5.5, 'write_ms': 80.25})
    lines.append({'kind': 'checkpoint_failed', 'attempt': 0, 'step': records, 'time': time_at(9), 'message': message})
    write_lines(folder / 'metrics.jsonl', lines)
    pointers = Path(state) / 'ddpsubmit/runs'
    pointers.mkdir(parents=True, exist_ok=True)
    (pointers / (run_id + '.json')).write_text(json.dumps({'schema': 'ddpsubmit.pointer.v1', 'run_id': run_id, 'name': name, 'run_dir': str(folder),
                                                           'launcher': 'local', 'job_id': '', 'created': time_at(-60)}))
    return run_id
