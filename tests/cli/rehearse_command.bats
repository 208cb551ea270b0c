# A rehearsal of a program that tells its steps compares the files that it leaves.

load ../support/local_run

# The state of the program is a hash of all its steps, so that one that is left out or done twice changes it.
setup() {
  isolate_user
  cat >train.py <<'PYTHON'
import hashlib, os, pathlib, time
import ddpsubmit

total, mode = int(os.environ['TOTAL']), os.environ['MODE']
saved = ddpsubmit.job().output_dir / 'model' / 'state'
saved.parent.mkdir(exist_ok=True)
done, state = saved.read_text().split() if saved.exists() else (0, 'start')
job = ddpsubmit.job()
begun = [pathlib.Path(f'begun-{job.run_id}-{job.attempt}-{rank}') for rank in range(job.world_size)]
begun[job.rank].touch()
while not all(file.exists() for file in begun):
    time.sleep(0.01)  # as in a process group
for n in range(int(done) + 1, total + 1):
    time.sleep(0.01)
    seen = f'{state} {n} {ddpsubmit.job().attempt if mode == "forgetful" else ""}'
    state = hashlib.sha256(seen.encode()).hexdigest()
    if mode != 'silent':
        ddpsubmit.step(n, total)
    stop = mode != 'deaf' and ddpsubmit.should_stop()
    if ddpsubmit.job().rank == 0 and (stop or n % 20 == 0 or n == total):
        saved.with_suffix('.new').write_text(f'{n} {state}')
        saved.with_suffix('.new').replace(saved)
        if stop:
            (saved.parent / f'stopped-{n}').touch()
    if stop:
        ddpsubmit.stop_here()
PYTHON
  cat >run.yaml <<YAML
name: steps
run_root: $PWD/runs
launcher: slurm
resources: {nodes: 2, tasks_per_node: 2, time: 10h}
environment: {set: {PYTHONPATH: $SOURCE_DIR/python, TOTAL: "500", MODE: ""}}
command: [python3, train.py]
YAML
}

# rehearse [ARGUMENT...]: the answer as JSON in `answer`, the talk in `said`, the exit code in status.
rehearse() {
  "$DDPSUBMIT" rehearse run.yaml --json "$@" >answer 2>said && status=0 || status=$?
}

answer() { jq -r "$1" answer; }

@test "a rank whose worker ends at the stop signal of Slurm has failed" {
  sed -i '1i import multiprocessing, signal' train.py # the worker waits for signals
  sed -i 's/^for n in range/worker = multiprocessing.Process(target=signal.pause, daemon=True)\nworker.start()\n&/' train.py
  sed -i 's/^    if stop:$/    if stop and (worker.join(1) or not worker.is_alive()): raise RuntimeError("the worker is gone")\n&/' train.py
  rehearse
  [ "$status" -eq 1 ]
  grep -qE 'rank [01] failed when the run was stopped: exit code 1' answer
  sed -i '1i import ddpsubmit; ddpsubmit.protect_workers()' train.py
  rehearse
  [ "$status" -eq 0 ]
}

@test "a program that is stopped and killed leaves the files of one that is not" {
  rehearse --seed 7 --keep
  [ "$status" -eq 0 ]
  [ "$(answer '"\(.schema) \(.seed) \(.ranks) \(.job_ranks) \(.steps)"')" = 'ddpsubmit.rehearse.v1 7 2 4 500' ]
  [ "$(answer '"\(.result.equal) \(.result.files | join(" "))"')" = 'true model/state' ]
  [ "$(answer '"\(.stop.signal) \(.stop.lost_steps)"')" = 'TERM 0' ]
  [ "$(answer '.result.extra == ["model/stopped-\(.stop.last_step)"]')" = true ]
  [ "$(answer '.stop.last_step >= .stop.seen_step and .kill.last_step > .stop.last_step')" = true ]
  [ "$(answer '.kill.lost_steps >= 0 and .kill.detect_seconds >= 0 and .kill.restart_seconds > 0')" = true ]
  [ "$(answer '[.job_steps, .costs, .mtbf, .configured, .recommended] | unique | length')" = 1 ]
  [ "$(answer .configured)" = null ]
  grep -F 'fault_tolerance.max_restarts is 0: the real job would fail when a rank is killed' said
  run_folder=$(find "$PWD/runs" -maxdepth 1 -name '*-rehearsal-*')
  [ -d "$run_folder" ]
  [ "$(event restarting '"\(.attempt) \(.cause.rank) \(.cause.signal)"')" = "1 $(answer .kill.rank) 9" ]
}

@test "what only a training has is not in the text, and nothing is left" {
  "$DDPSUBMIT" rehearse run.yaml --ranks 1 --seed 7 >answer 2>said
  grep -E '^rehearsed +1 of 4 ranks, 500 steps; to repeat: --ranks 1 --seed 7$' answer
  grep -E '^result +equal to an undisturbed run, byte for byte: model/state; only the disturbed run has model/stopped-' answer
  run grep -E '^(costs|configured|recommended)' answer
  [ "$status" -eq 1 ]
  [ ! -e runs ]
}

@test "a program whose result depends on how often it was started is told: exit 1, and the file" {
  rehearse --seed 7 environment.set.MODE=forgetful
  [ "$status" -eq 1 ]
  [ "$(answer '"\(.result.equal) \(.result.differences[0].file)"')" = 'false model/state' ]
  [ "$(answer '.result.differences[0].byte >= 4')" = true ]
  grep -F 'files written by torch.save may differ' said
  [ "$(answer '.kept_runs | length')" = 2 ]
}

@test "a program that does not ask for stops gets the signal, and resumes from what it has saved" {
  rehearse --seed 7 environment.set.MODE=deaf
  [ "$status" -eq 0 ]
  [ "$(answer '"\(.result.equal) \(.stop.lost_steps >= 0)"')" = 'true true' ]
}

@test "a program that tells no steps cannot be rehearsed" {
  run "$DDPSUBMIT" rehearse run.yaml environment.set.MODE=silent environment.set.TOTAL=20
  [ "$status" -eq 1 ]
  [[ $output == *'the program has not reported a step'*'docs/python.md'* ]]
}

@test "a program that leaves no file cannot be rehearsed" {
  run "$DDPSUBMIT" rehearse run.yaml \
    'command=[python3, -c, "import ddpsubmit; [ddpsubmit.step(n, 20) for n in range(1, 21)]"]'
  [ "$status" -eq 1 ]
  [[ $output == *'has written no file'*'DDPSUBMIT_OUTPUT_DIR'* ]]
}

@test "a program that is over too early is to do more" {
  run "$DDPSUBMIT" rehearse run.yaml environment.set.TOTAL=5
  [ "$status" -eq 1 ]
  [[ $output == *'has reported 5 steps, but a rehearsal needs at least 10 steps'*'environment.set.EPOCHS=3'* ]]
}

@test "ddpsubmit cannot shorten a command, and has no interval to recommend: exit 2, and nothing is started" {
  run "$DDPSUBMIT" rehearse run.yaml --steps 40
  [ "$status" -eq 2 ]
  [[ $output == *"--steps needs a 'train:' section"*'environment.set.EPOCHS=1'* ]]
  run "$DDPSUBMIT" rehearse run.yaml --mtbf 6h
  [ "$status" -eq 2 ]
  [[ $output == *"--mtbf needs a 'train:' section"* ]]
  [ ! -e runs ]
}
