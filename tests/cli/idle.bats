# Programs that tell nothing: what is seen of ranks that do nothing, and where ranks are.

load ../support/local_run
load ../support/short_waits

setup() {
  isolate_user
  shorten live idle
  mkdir -p site-packages/torch/distributed
  cat >site-packages/torch/distributed/peers.py <<'PY'
import time


def all_reduce():
    while True:
        time.sleep(1000)
PY
  cat >train.py <<'PY'
import sys, threading, time

sys.path.insert(0, "site-packages")
import ddpsubmit
from torch.distributed.peers import all_reduce

rank = ddpsubmit.job().rank


def deadlock():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def failed():
    try:
        raise ValueError("the batch is empty")
    except ValueError:
        import traceback
        traceback.print_exc()
    deadlock()  # as a program does whose thread or child keeps it alive


{"deadlock": deadlock, "failed": failed}[sys.argv[1]]() if rank == 1 else all_reduce()
PY
}

teardown() { kill_processes_of_run; }

# write_run RANKS CASE
write_run() {
  cat >run.yaml <<YAML
name: job
run_root: runs
resources: {tasks_per_node: $1}
environment: {set: {PYTHONPATH: $SOURCE_DIR/python}}
command: [python3, train.py, $2]
YAML
}

is_suspected() { [[ -n $(event hang_suspected .message) ]]; }

@test "the rank that is not where the others wait is named, once, and stays on record; stack shows where all are" {
  write_run 3 deadlock
  start_detached
  eventually is_suspected
  local message
  message=$(event hang_suspected .message)
  [[ $message =~ ^'rank 1 on '.*' has done nothing for '.*': it is in deadlock (train.py:'[0-9]+'); the other ranks are in all_reduce (torch/distributed/peers.py:'[0-9]+')'$ ]]
  "$DDPSUBMIT" status last | grep -qF "suspected hang: $message"
  "$DDPSUBMIT" describe last | grep -qF "$message"
  jq -e '.ranks | map(.rank) == [0, 1, 2]' "$run_folder/stacks/attempt-0.json"

  run "$DDPSUBMIT" stack last
  [ "$status" -eq 0 ]
  [[ ${lines[0]} =~ ^'rank 1 on '.*': sleeping (by '('faulthandler'|'py-spy')')'$ ]]
  [[ ${lines[1]} =~ ^'    deadlock (train.py:'[0-9]+')'$ ]]
  [[ $output =~ 'ranks 0,2 on ' ]]
  "$DDPSUBMIT" stack last --rank 2 --json | jq -e '.schema == "ddpsubmit.stack.v1" and .ranks[0].rank == 2 and (.ranks | length) == 1'
  [ -z "$(find "$run_folder/stacks" -name 'wanted-*' -o -name 'taken-*')" ]

  "$DDPSUBMIT" cancel last
  run "$DDPSUBMIT" stack last
  [ "$status" -eq 0 ]
  [[ $output == *deadlock* ]] # as they were when the hang was seen
}

@test "what a rank has printed that explains a suspected hang is shown with it" {
  write_run 2 failed
  start_detached
  eventually is_suspected
  "$DDPSUBMIT" status last | grep -qF 'rank 1 has printed: ValueError: the batch is empty'
  "$DDPSUBMIT" describe last | grep -qF 'rank 1 has printed: ValueError: the batch is empty'
  "$DDPSUBMIT" report last -o page.html
  grep -qF 'Traceback (most recent call last)' page.html
  "$DDPSUBMIT" cancel last
}

@test "of a program without any tool the kernel tells the system call" {
  write_config 1 'exec sleep 1000'
  start_detached
  eventually head_runs
  run env PATH=/usr/bin:/bin "$DDPSUBMIT" stack last
  [ "$status" -eq 0 ]
  [[ ${lines[0]} =~ ^'rank 0 on ' ]]
  [[ $output == *nanosleep* ]]
  "$DDPSUBMIT" cancel last
}

@test "stack of a run without ranks, and of a rank that is none" {
  write_config 1 'exit 0'
  start_detached
  "$DDPSUBMIT" wait last
  run "$DDPSUBMIT" stack last
  [ "$status" -eq 5 ]
  [[ $output == *"has no running ranks, and no hang was detected in its attempts"* ]]
  run "$DDPSUBMIT" stack last --rank x
  [ "$status" -eq 2 ]
}

@test "validate says what hang_timeout does" {
  write_config 1 'exit 0'
  "$DDPSUBMIT" validate run.yaml | grep -q '^hang_timeout auto: a rank that does nothing for 10m, .* is reported as hung; the run continues$'
  "$DDPSUBMIT" validate run.yaml fault_tolerance.hang_timeout=5m fault_tolerance.max_restarts=2 |
    grep -q '^hang_timeout 5m: a hang restarts the run, at most 2 times in a row without a new step. It is a hang if all ranks do nothing for 5m, '
  "$DDPSUBMIT" validate run.yaml fault_tolerance.hang_timeout=off | grep -qx 'hang_timeout off: hangs are not detected'
}
