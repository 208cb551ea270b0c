"""Runs from outside, by the real program that the environment variable DDPSUBMIT names. Of the standard library alone."""
import asyncio
import json
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from unittest import mock

import ddpsubmit
from ddpsubmit import _runs

PROGRAM = os.environ.get('DDPSUBMIT', '')
PACKAGES = str(pathlib.Path(ddpsubmit.__file__).parent.parent)
ENDLESS = '{command: [sleep, infinity]}'
NOT_MADE_HERE = (ddpsubmit.AuthenticationError, ddpsubmit.Refused, ddpsubmit.OutcomeUnknown)


@unittest.skipUnless(PROGRAM, 'the environment variable DDPSUBMIT names no ddpsubmit')
class RunsTest(unittest.TestCase):
    """With a configuration folder, a state folder and a folder of runs of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.set_environment(XDG_STATE_HOME=str(self.folder / 'state'), XDG_CONFIG_HOME=str(self.folder / 'config'),
                             PYTHONPATH=PACKAGES)

    def set_environment(self, **variables):
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, text, name='job.yaml'):
        file = self.folder / name
        file.write_text(text)
        return file

    def start(self, text, overrides=None):
        """`text` is a YAML map in braces."""
        return self.start_file(self.write(text), overrides)

    def start_file(self, file, overrides=None):
        run = ddpsubmit.run(file, {'run_root': self.folder / 'runs', **(overrides or {})})
        self.addCleanup(run.cancel)
        return run

    def start_shell(self, script, ranks=1):
        return self.start('{}', {'command': ['sh', '-c', script], 'resources.tasks_per_node': ranks})

    def run_python(self, code, **options):
        return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, **options)


class StartTest(RunsTest):
    def test_a_run_goes_on_by_itself(self):
        run = self.start(ENDLESS)
        self.assertEqual((run.name, run.launcher, run.folder), ('job', 'local', self.folder / 'runs' / run.id))
        self.assertTrue(run.folder.is_dir())
        status = run.status()
        self.assertEqual((status.state, status.final, status.exit_code), ('running', False, None))
        self.assertIn(status.message, ('', 'starting its ranks'))
        self.assertEqual((status.step, status.total_steps), (None, None))
        self.assertEqual(status.raw['run_id'], run.id)

    def test_a_run_that_succeeds(self):
        run = self.start('{command: ["true"]}')
        status = run.wait()
        self.assertEqual((status.state, status.final, status.exit_code), ('succeeded', True, 0))
        self.assertEqual(status.message, '1 rank finished')
        self.assertEqual(run.status().state, 'succeeded')
        self.assertEqual(run.wait(0), status)

    def test_a_relative_file_is_looked_for_in_the_current_folder(self):
        self.write('{name: other, command: ["true"], run_root: runs}', name='-other.yaml')
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        run = ddpsubmit.run('-other.yaml')
        run.wait()
        self.assertEqual(run.folder.parent, self.folder / 'runs')

    def test_a_run_starts_again_in_its_folder(self):
        run = self.start_shell('test -e "$DDPSUBMIT_RUN_DIR/seen" || { touch "$DDPSUBMIT_RUN_DIR/seen"; exit 3; }')
        with self.assertRaises(ddpsubmit.RunFailed):
            run.wait()
        run.rerun()
        self.assertEqual(run.wait().state, 'succeeded')

    def test_what_the_program_warns_of_is_a_warning(self):
        with self.assertWarnsRegex(UserWarning, '^resources.memory is not enforced') as caught:
            self.start('{command: ["true"]}', {'resources.memory': '1GiB'})
        self.assertEqual(caught.filename, __file__)


class FindTest(RunsTest):
    def test_no_runs(self):
        self.assertEqual(ddpsubmit.runs(), [])
        with self.assertRaises(ddpsubmit.NotFound):
            ddpsubmit.find('last')

    def test_the_newest_is_the_first(self):
        first, second = self.start('{command: ["true"]}'), self.start(ENDLESS)
        first.wait()
        self.assertEqual(ddpsubmit.runs(), [second, first])
        self.assertEqual(ddpsubmit.runs('running'), [second])
        self.assertEqual(ddpsubmit.runs(['running', 'succeeded']), [second, first])
        self.assertEqual(ddpsubmit.runs('failed'), [])

    def test_a_run_is_found_by_its_id_its_name_and_as_the_last_one(self):
        run = self.start('{command: ["true"]}')
        for selector in (run.id, 'job', 'last'):
            self.assertEqual(ddpsubmit.find(selector), run)

    def test_the_points_of_a_sweep_are_runs(self):
        sweep = self.start('{command: [printenv, LETTER]}', {'sweep': {'environment.set.LETTER': ['a', 'b']}})
        sweep.wait()
        points = sweep.points()
        self.assertEqual([point.id for point in points], [sweep.id + '/0', sweep.id + '/1'])
        self.assertEqual([point.logs() for point in points], ['a\n', 'b\n'])
        self.assertEqual(ddpsubmit.find(sweep.id + '/1'), points[1])
        self.assertEqual(points[1].points(), [])
        with self.assertRaisesRegex(ddpsubmit.UsageError, 'sweep'):
            sweep.logs()
        with self.assertRaisesRegex(ddpsubmit.UsageError, 'points()'):
            sweep.metrics()


class EndTest(RunsTest):
    def test_a_run_that_fails_names_the_rank_to_blame_and_what_it_has_printed(self):
        run = self.start_shell('test "$RANK" = 0 || { echo first >&2; echo second >&2; exit 3; }; exec sleep infinity', ranks=2)
        with self.assertRaises(ddpsubmit.RunFailed) as caught:
            run.wait()
        lines = str(caught.exception).splitlines()
        self.assertRegex(lines[0], f'^run {run.id} failed: rank 1 on .* ended with exit code 3')
        self.assertEqual(lines[1:], ['  first', '  second'])
        self.assertEqual(caught.exception.exit_code, 1)
        self.assertEqual(caught.exception.status.state, 'failed')
        self.assertEqual(caught.exception.status.raw['cause']['rank'], 1)

    def test_a_failure_names_the_likely_cause_unless_it_is_the_last_line(self):
        run = self.start_shell('''printf 'Traceback (most recent call last):\\nOSError: disk full\\nbye\\n' >&2; exit 3''')
        with self.assertRaises(ddpsubmit.RunFailed) as caught:
            run.wait()
        self.assertEqual(str(caught.exception).splitlines()[1], '  likely cause: OSError: disk full')

    def test_a_cancel_waits_for_the_end(self):
        run = self.start(ENDLESS)
        self.assertEqual(run.cancel().state, 'cancelled')
        with self.assertRaisesRegex(ddpsubmit.RunFailed, 'was cancelled') as caught:
            run.wait()
        self.assertEqual(caught.exception.status.state, 'cancelled')
        self.assertEqual(run.cancel().state, 'cancelled')

    def test_a_time_limit_of_the_run(self):
        run = self.start(ENDLESS, {'resources.time': '1s'})
        with self.assertRaisesRegex(ddpsubmit.RunFailed, f'^run {run.id} reached its time limit') as caught:
            run.wait()
        self.assertEqual(caught.exception.status.state, 'timed_out')

    def test_the_wait_may_end_before_the_run(self):
        run = self.start(ENDLESS)
        for timeout in (0, -1, 0.01):
            with self.subTest(timeout), self.assertRaisesRegex(ddpsubmit.StillRunning, r'has not ended \(running\)') as caught:
                run.wait(timeout)
        self.assertEqual(caught.exception.exit_code, 8)
        with self.assertRaisesRegex(ddpsubmit.StillRunning, 'has not ended'):
            run.rerun()

    def test_an_interrupt_ends_the_wait_and_leaves_the_run_alone(self):
        run = self.start(ENDLESS)
        code = f'import ddpsubmit\nrun = ddpsubmit.find({run.id!r})\nprint("waits", flush=True)\nrun.wait()'
        with subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              start_new_session=True) as waiting:
            self.assertEqual(waiting.stdout.readline(), b'waits\n')
            os.killpg(waiting.pid, signal.SIGINT)
            self.assertIn(b'KeyboardInterrupt', waiting.stderr.read())
        self.assertEqual(run.status().state, 'running')


class LogsTest(RunsTest):
    def test_of_all_ranks_and_of_some(self):
        run = self.start_shell('echo "out $RANK"; echo "err $RANK" >&2', ranks=2)
        run.wait()
        self.assertEqual(sorted(run.logs().splitlines()), ['[r0] out 0', '[r1] out 1'])
        self.assertEqual(run.logs(rank=0), 'out 0\n')
        self.assertEqual(run.logs(rank=1, stderr=True), 'err 1\n')
        self.assertEqual(sorted(run.logs('0-1', stderr=True).splitlines()), ['[r0] err 0', '[r1] err 1'])

    def test_the_last_lines(self):
        run = self.start_shell('seq 5; printf "no end"')
        run.wait()
        self.assertEqual(run.logs(), '1\n2\n3\n4\n5\nno end\n')
        self.assertEqual(run.logs(tail=2), '5\nno end\n')
        self.assertEqual(run.logs(tail=0), '')
        self.assertEqual(run.logs(stderr=True), '')

    def test_any_text_is_a_line(self):
        run = self.start_shell(r'printf "{\"schema\": \"ddpsubmit.error.v1\"}\n\n\342\200\250\n\377\n"')
        run.wait()
        self.assertEqual(run.logs(), '{"schema": "ddpsubmit.error.v1"}\n\n\u2028\n\ufffd\n')

    def test_of_a_run_that_goes_on(self):
        os.mkfifo(self.folder / 'fifo')
        run = self.start_shell(f'echo begun; echo >{self.folder}/fifo; exec sleep infinity')
        (self.folder / 'fifo').read_bytes()
        self.assertEqual(run.logs(), 'begun\n')

    def test_a_rank_that_is_not_there(self):
        run = self.start('{command: ["true"]}')
        with self.assertRaisesRegex(ddpsubmit.UsageError, r'^the run has no rank 7 \(its ranks are 0 to 0\)$') as caught:
            run.logs(rank=7)
        self.assertEqual(caught.exception.exit_code, 2)


class MetricsTest(RunsTest):
    FIRST = {'kind': 'train', 'attempt': 0, 'step': 7, 'epoch': 1, 'loss': 0.5}
    AGAIN = {'kind': 'train', 'attempt': 1, 'step': 7, 'epoch': 1, 'loss': None, 'time': '2026-01-01T00:00:00.000Z'}

    def start_training(self, *lines):
        """A run that writes them into metrics.jsonl."""
        file = self.write('\n'.join(line if isinstance(line, str) else json.dumps(line) for line in lines), name='lines')
        run = self.start_shell(f'cat {file} >"$DDPSUBMIT_RUN_DIR/metrics.jsonl"')
        run.wait()
        return run

    def without_pandas(self):
        return mock.patch.dict(sys.modules, {'pandas': None})

    def test_all_records_are_there(self):
        run = self.start_training(self.FIRST, self.AGAIN, '')
        with self.without_pandas():
            self.assertEqual(run.metrics(), [self.FIRST, self.AGAIN])
        self.assertEqual(run.status().step, 7)

    def test_what_is_no_record_is_passed_over(self):
        run = self.start_training('{"kind": "train"', '7', '', '\0\0', self.FIRST, '{"kind": "tr')
        with self.without_pandas():
            self.assertEqual(run.metrics(), [self.FIRST])

    def test_a_data_frame_where_pandas_is_there(self):
        run = self.start_training(self.FIRST, '')
        pandas = types.ModuleType('pandas')
        pandas.DataFrame = lambda records: ('frame of', records)
        with mock.patch.dict(sys.modules, {'pandas': pandas}):
            self.assertEqual(run.metrics(), ('frame of', [self.FIRST]))

    def test_no_records(self):
        run = self.start('{command: ["true"]}')
        run.wait()
        with self.without_pandas():
            self.assertEqual(run.metrics(), [])

    def test_the_program_fetches_the_records_of_an_ssh_run(self):
        with self.assertRaisesRegex(ddpsubmit.NotFound, "no run 'absent'"):
            ddpsubmit.Run('absent', self.folder, 'absent', 'ssh').metrics()

    def test_a_folder_that_is_gone(self):
        run = ddpsubmit.run(self.write('{command: ["true"]}'), {'run_root': self.folder / 'runs'})
        run.wait()
        shutil.rmtree(run.folder)
        with self.assertRaisesRegex(ddpsubmit.NotFound, f'the folder of run {run.id} does not exist any more'):
            run.metrics()


class StatusTest(unittest.TestCase):
    """What the program says of the steps."""

    def status(self, **changes):
        answer = {'state': 'running', 'final': False, 'message': None, 'exit_code': None, 'step': None, 'live': None, 'progress': None}
        return _runs._status_of({**answer, **changes})

    def totals(self, **changes):
        status = self.status(**changes)
        return status.step, status.total_steps

    def test_of_a_run_that_goes_on(self):
        self.assertEqual(self.totals(step=9, live={'total_steps': 100}, progress={'total_steps': None}), (9, 100))
        self.assertEqual(self.totals(step=9, live={'total_steps': None}, progress={'total_steps': 90}), (9, 90))

    def test_of_a_run_that_has_ended(self):
        self.assertEqual(self.totals(step=5, progress={'total_steps': 90}), (5, 90))
        self.assertEqual(self.totals(), (None, None))


class ErrorTest(RunsTest):
    def test_each_error_of_a_configuration_with_its_place(self):
        file = self.write('name: job\nrun_rot: runs\ncommand: 7\n')
        with self.assertRaises(ddpsubmit.ConfigurationError) as caught:
            ddpsubmit.run(file)
        lines = str(caught.exception).splitlines()
        self.assertIn(f"{file}:2:1: unknown key 'run_rot' (did you mean 'run_root'?)", lines)
        self.assertRegex('\n'.join(lines), f"(?m)^{file}:3:10: 'command' must be a list")
        self.assertEqual(caught.exception.exit_code, 3)

    def test_an_override_that_is_wrong_is_shown(self):
        with self.assertRaisesRegex(ddpsubmit.ConfigurationError, "^launcher: .*not 'loca'.*did you mean 'local'"):
            self.start('{command: ["true"]}', {'launcher': 'loca'})
        with self.assertRaisesRegex(ddpsubmit.ConfigurationError, "^--no-preflight: unknown key '--no-preflight'"):
            self.start('{command: ["true"]}', {'--no-preflight': 1})

    def test_what_is_not_there(self):
        with self.assertRaisesRegex(ddpsubmit.NotFound, 'absent.yaml') as caught:
            ddpsubmit.run(self.folder / 'absent.yaml')
        self.assertEqual(caught.exception.exit_code, 5)
        with self.assertRaisesRegex(ddpsubmit.NotFound, "no run 'absent'"):
            ddpsubmit.find('absent')
        absent = ddpsubmit.Run('absent', self.folder, 'absent', 'local')
        for function in (absent.status, absent.wait, absent.logs, absent.cancel, absent.rerun, absent.points):
            with self.subTest(function.__name__), self.assertRaises(ddpsubmit.NotFound):
                function()

    def test_a_state_that_is_none(self):
        with self.assertRaisesRegex(ddpsubmit.UsageError, "no state 'asleep'"):
            ddpsubmit.runs('asleep')

    def test_a_program_that_this_machine_lacks(self):
        with self.assertRaisesRegex(ddpsubmit.PreflightFailed, "'no-such-program' is not in PATH") as caught:
            self.start('{command: [no-such-program]}')
        self.assertEqual(caught.exception.exit_code, 10)

    def test_each_class_is_an_error_and_goes_through_pickle(self):
        classes = {getattr(ddpsubmit, name) for name in ddpsubmit.__all__ if isinstance(getattr(ddpsubmit, name), type)}
        errors = {each for each in classes if issubclass(each, Exception)}
        self.assertTrue(all(issubclass(each, ddpsubmit.Error) for each in errors))
        self.assertTrue(errors.issuperset(NOT_MADE_HERE))
        for error in errors - {ddpsubmit.RunFailed}:
            again = pickle.loads(pickle.dumps(error('it is so', 9)))
            self.assertEqual((type(again), str(again), again.exit_code), (error, 'it is so', 9))
        status = StatusTest().status(state='failed')
        again = pickle.loads(pickle.dumps(ddpsubmit.RunFailed('it is so', status)))
        self.assertEqual((str(again), again.exit_code, again.status), ('it is so', 1, status))


class ProgramTest(RunsTest):
    def link(self, folder):
        folder.mkdir()
        (folder / 'ddpsubmit').symlink_to(os.path.abspath(shutil.which(PROGRAM)))
        return str(folder)

    def test_it_is_taken_from_the_path(self):
        self.set_environment(DDPSUBMIT='', PATH=self.link(self.folder / 'bin'))
        self.assertEqual(ddpsubmit.runs(), [])

    def test_else_the_one_beside_the_python(self):
        self.set_environment(DDPSUBMIT='', PATH=str(self.folder))
        python = os.path.join(self.link(self.folder / 'bin'), 'python')
        with mock.patch.object(sys, 'executable', python):
            self.assertEqual(ddpsubmit.runs(), [])

    def test_there_is_none(self):
        self.set_environment(DDPSUBMIT='', PATH=str(self.folder))
        with mock.patch.object(sys, 'executable', str(self.folder / 'python')):
            with self.assertRaisesRegex(ddpsubmit.ProgramNotFound, 'pip.*DDPSUBMIT'):
                ddpsubmit.runs()

    def test_the_one_that_is_named_is_not_there(self):
        self.set_environment(DDPSUBMIT=str(self.folder / 'absent'))
        with self.assertRaisesRegex(ddpsubmit.ProgramNotFound, 'absent'):
            ddpsubmit.find('last')

    def test_another_program(self):
        for name, code in (('true', 0), ('false', 1), ('echo', 0)):
            self.set_environment(DDPSUBMIT=shutil.which(name))
            with self.subTest(name), self.assertRaisesRegex(ddpsubmit.Error, f'{name} list ended with exit code {code}'):
                ddpsubmit.runs()

    def test_one_that_is_killed(self):
        file = self.write('#!/bin/sh\nkill -KILL $$\n', name='killed')
        file.chmod(0o700)
        self.set_environment(DDPSUBMIT=str(file))
        with self.assertRaises(ddpsubmit.Error) as caught:
            ddpsubmit.runs()
        self.assertEqual(caught.exception.exit_code, 128 + signal.SIGKILL)


class ValueTest(RunsTest):
    TEXTS = ['word', 'two words', '  spaces  ', '7', '1e3', 'true', 'null', '~', '~/x', 'Null', '[list]', '{map}', '[', '{a: b', '"',
             "'", '"quoted"', "it's", "'single'", '\\', '\\n', '"\\"', 'a: b', ': x', '- item', '# no comment', 'x # y', '&anchor',
             '*alias', '!tag', '%', '@', '`', '|', '>', '?', ',', ']', '}', 'a=b', '=', '$HOME', '$$', '${X}', '%s', '--flag', '-x',
             'é', '日本語', '😀', '\u00a0', '1_000', '0x10', '<<', '.', '..', 'x' * 5000]

    def explain(self, text, overrides):
        """The values of the configuration, by their keys, as the program has understood them."""
        words = [_runs._render_override(key, value) for key, value in overrides.items()]
        shown = subprocess.run([PROGRAM, 'render', '--explain', '--json', '--', str(self.write(text)), *words],
                               stdout=subprocess.PIPE)
        answer = json.loads(shown.stdout)
        self.assertNotIn('errors', answer)
        return {value['key']: value['value'] for value in answer['values']}

    def test_texts_come_through_as_they_are(self):
        names = [f'TEXT{number}' for number in range(len(self.TEXTS))]
        script = 'for name; do printenv "$name"; done'
        run = self.start('{}', {'command': ['sh', '-c', script, 'sh', *names],
                                **{f'environment.set.{name}': text for name, text in zip(names, self.TEXTS)}})
        run.wait()
        self.assertEqual(run.logs(), '\n'.join(self.TEXTS) + '\n')

    def test_texts_in_lists_and_mappings_come_through_as_they_are(self):
        names = [f'TEXT{number}' for number in range(len(self.TEXTS))]
        script = 'for name; do printenv "$name" || printf "%s\\n" "$name"; done'
        run = self.start('{}', {'command': ('sh', '-c', script, 'sh', *names, *self.TEXTS),
                                'environment': {'set': dict(zip(names, self.TEXTS))}})
        run.wait()
        self.assertEqual(run.logs(), '\n'.join(self.TEXTS + self.TEXTS) + '\n')

    def test_an_empty_text(self):
        run = self.start('{command: [printenv, EMPTY]}', {'environment.set.EMPTY': ''})
        run.wait()
        self.assertEqual(run.logs(), '\n')

    def test_numbers_and_booleans(self):
        values = self.explain('{train: {model: {name: mlp}, data: {name: synthetic}, optimizer: {name: adam}}}', {
            'train.epochs': 3, 'train.seed': 0, 'train.optimizer.learning_rate': 1e-05, 'train.clip_grad_norm': 1e+22,
            'train.model.hidden_dims': [4, 8], 'train.deterministic': True, 'train.ddp.broadcast_buffers': False,
            'resources.time': '90s', 'resources.memory': '3GiB'})
        expected = {'train.epochs': '3', 'train.seed': '0', 'train.optimizer.learning_rate': '1e-05', 'train.clip_grad_norm': '1e+22',
                    'train.model.hidden_dims': '[4, 8]', 'train.deterministic': 'true', 'train.ddp.broadcast_buffers': 'false',
                    'resources.time': '1m30s', 'resources.memory': '3GiB'}
        self.assertEqual({key: values[key] for key in expected}, expected)

    def test_none_sets_the_default_back_and_takes_a_section_away(self):
        values = self.explain('{resources: {tasks_per_node: 2}, command: ["true"], environment: {set: {A: b}}}',
                              {'resources.tasks_per_node': None, 'environment': None})
        self.assertEqual(values['resources.tasks_per_node'], '1')
        self.assertNotIn('environment.set.A', values)

    def test_mappings_are_merged(self):
        values = self.explain('{command: ["true"], resources: {nodes: 1, tasks_per_node: 2}}',
                              {'resources': {'tasks_per_node': 3, 'cpus_per_task': None}, 'environment.set': {'A': 'b', 'C': None}})
        self.assertEqual((values['resources.nodes'], values['resources.tasks_per_node']), ('1', '3'))
        self.assertEqual(values['environment.set.A'], 'b')
        self.assertNotIn('environment.set.C', values)

    def test_ranges_paths_and_numbers_of_other_libraries(self):
        class Whole(int):
            def __str__(self):
                return 'Whole'

        class Half(float):
            def __repr__(self):
                return 'Half'

        rendered = {_runs._render_override('key', value): expected for value, expected in (
            (range(3), 'key=[0, 1, 2]'), (pathlib.Path('/a b'), 'key=/a b'), ([pathlib.Path('/a b')], 'key=["/a b"]'),
            (Whole(7), 'key=7'), (Half(0.5), 'key=0.5'), ([], 'key=[]'), ({}, 'key={}'))}
        self.assertEqual(list(rendered), list(rendered.values()))

    def test_a_file_can_be_included(self):
        self.write('{resources: {tasks_per_node: 2}}', name='more.yaml')
        run = self.start('{command: [printenv, WORLD_SIZE]}', {'+include': self.folder / 'more.yaml'})
        run.wait()
        self.assertEqual(run.logs(rank=1), '2\n')

    def test_what_is_no_value_is_refused(self):
        file = self.write(ENDLESS)
        for wrong in (object(), {1, 2}, b'bytes', [1, [object()]], {'a': {1: 2}}):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "'train.seed'"):
                ddpsubmit.run(file, {'train.seed': wrong})
        for wrong in ('', 'train.seed=1', 7):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, 'is not a valid key'):
                ddpsubmit.run(file, {wrong: 1})

    def test_a_word_of_a_command_may_have_several_lines(self):
        run = self.start('{command: ["true"]}', {'command': ['printf', '%s', 'two\nlines']})
        run.wait()
        self.assertEqual(run.logs(), 'two\nlines\n')

    def test_what_a_configuration_cannot_hold_is_refused(self):
        for wrong in ('two\nlines', 'tab\t', '\x7f', ['\x7f'], '\ufeff', float('inf'), float('nan')):
            with self.subTest(wrong), self.assertRaises(ddpsubmit.ConfigurationError):
                self.start('{command: ["true"]}', {'resources.gpu_type' if isinstance(wrong, str) else 'command': wrong})


class NotebookTest(RunsTest):
    def test_in_a_loop_that_runs(self):
        async def cell():
            run = self.start('{command: [echo, hello]}')
            others = [self.start('{command: ["true"]}') for _ in range(2)]
            states = await asyncio.gather(*(asyncio.to_thread(other.wait) for other in others))
            return run.wait().state, run.logs(), [status.state for status in states]

        self.assertEqual(asyncio.run(cell()), ('succeeded', 'hello\n', ['succeeded', 'succeeded']))

    def test_without_a_standard_input(self):
        file = self.write('{command: [cat]}')
        code = (f'import ddpsubmit\nrun = ddpsubmit.run({str(file)!r}, {{"run_root": {str(self.folder)!r}}})\n'
                'print(run.wait().state, repr(run.logs()))')
        done = subprocess.run(['sh', '-c', 'exec "$0" -c "$1" <&-', sys.executable, code], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("succeeded ''\n", ''))

    def test_a_run_outlives_the_process_that_started_it_and_its_group(self):
        file = self.write(ENDLESS)
        code = (f'import ddpsubmit, os, signal\nddpsubmit.run({str(file)!r}, {{"run_root": {str(self.folder)!r}}})\n'
                'os.killpg(0, signal.SIGKILL)')
        self.assertEqual(self.run_python(code, start_new_session=True).returncode, -signal.SIGKILL)
        run = ddpsubmit.find('last')
        self.addCleanup(run.cancel)
        self.assertEqual(run.status().state, 'running')

    def test_no_warning_where_there_is_nothing_to_warn_of(self):
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            run = self.start('{command: ["true"]}')
            run.wait()
            ddpsubmit.runs()


class ImportTest(RunsTest):
    def test_a_rank_does_not_load_what_is_for_runs_from_outside(self):
        code = 'import sys\nimport ddpsubmit\nddpsubmit.step(1)\nprint("subprocess" in sys.modules, "ddpsubmit._runs" in sys.modules)'
        self.assertEqual(self.run_python(code).stdout, 'False False\n')

    def test_all_names_are_there(self):
        code = 'from ddpsubmit import *\nimport ddpsubmit\nprint(run is ddpsubmit.run, {*ddpsubmit.__all__} <= {*dir(ddpsubmit)})'
        self.assertEqual(self.run_python(code).stdout, 'True True\n')
        with self.assertRaisesRegex(AttributeError, "no attribute 'rum'"):
            ddpsubmit.rum


if __name__ == '__main__':
    unittest.main()
