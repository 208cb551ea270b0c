# What a Python program gets that says where it is.

load ../support/local_run
load ../support/short_waits

setup() {
  isolate_user
  shorten live
  cat >run.yaml <<YAML
name: steps
run_root: runs
resources: {tasks_per_node: 3}
fault_tolerance: {max_restarts: 2}
environment: {set: {PYTHONPATH: $SOURCE_DIR/python, TOTAL: "100000"}}
command: [python3, $SOURCE_DIR/tests/support/steps.py]
YAML
}

teardown() { kill_processes_of_run; }

live() { jq -r "$1" "$run_folder/live.json" 2>/dev/null; }
pace_is_known() { [[ $(live '.seconds_per_step') != null ]]; }
all_ranks_have_stepped() { [[ $(live '[.ranks[].step | select(. != null)] | length') == 3 ]]; }

@test "status and describe say how far a run is while it runs" {
  start_detached
  eventually all_ranks_have_stepped
  [ "$(live '.total_steps')" = 100000 ]
  [ "$(live '.ranks | map(.rank) | join(" ")')" = '0 1 2' ]
  eventually has_metrics
  eventually pace_is_known
  run "$DDPSUBMIT" status last
  [[ $output =~ running.*'step '[0-9]+' of 100000'.*'loss '.*'about '.*' left' ]]
  "$DDPSUBMIT" status last --json | jq -e '.runs[0].live.summary.ranks == 3 and .runs[0].live.ranks[2].memory_bytes > 1000000'
  "$DDPSUBMIT" list --json | jq -e '.runs[0].live.summary.highest_step > 0'
  run "$DDPSUBMIT" describe last
  [[ $output =~ '2 '.*running.*step.*[0-9]+.*MiB ]]
  "$DDPSUBMIT" cancel last
  "$DDPSUBMIT" status last --json | jq -e '.runs[0].live == null'
}

@test "status names the rank whose steps are far behind those of the others" {
  cat >apart.py <<'PYTHON'
import itertools, time
import ddpsubmit

for n in itertools.count(1):
    ddpsubmit.step(n)
    time.sleep(3600 if ddpsubmit.job().rank == 1 else 0.1)
PYTHON
  sed -i 's|^command:.*|command: [python3, apart.py]|' run.yaml
  start_detached
  eventually rank_is_behind
  "$DDPSUBMIT" cancel last
}
rank_is_behind() { "$DDPSUBMIT" status last | grep -qE 'rank 1 on .* is [0-9]+ steps behind the others'; }

has_metrics() { [[ -s $run_folder/metrics.jsonl ]] && (($(wc -l <"$run_folder/metrics.jsonl") > 2)); }

# The steps after which the ranks of an attempt have stopped: one number, if it is the same.
stop_steps() { jq -r .last_step "$run_folder/exit/attempt-$1"/rank-*.json | sort -u; }

@test "a cancelled run stops after the same step on all ranks, and resumes there" {
  start_detached
  eventually all_ranks_have_stepped
  run "$DDPSUBMIT" cancel last
  local step
  step=$(stop_steps 0)
  [[ $step =~ ^[0-9]+$ ]]
  [[ $output == *"all ranks stopped on request at step $step"* ]]
  [ "$(cat "$run_folder/exit/attempt-0"/rank-*.json | jq -r .code | sort -u)" = 75 ]
  [ "$(<"$run_folder/output/step")" = "$step" ]
  "$DDPSUBMIT" rerun last --detach
  eventually has_first_step 1
  [ "$(jq -r 'select(.attempt == 1 and .kind == "first_step") | .step' "$run_folder/metrics.jsonl")" = $((step + 1)) ]
  "$DDPSUBMIT" cancel last
}

has_first_step() { grep -q "\"first_step\",\"attempt\":$1," "$run_folder/metrics.jsonl"; }

@test "so it does at its time limit" {
  run "$DDPSUBMIT" run run.yaml resources.time=10s
  [ "$status" -eq 1 ]
  use_only_run
  [[ $output == *'reached its time limit; all ranks stopped on request at step'* ]]
  [[ $(stop_steps 0) =~ ^[0-9]+$ ]]
}

@test "a rank that is killed starts again with the others from what was saved, and the report knows what that cost" {
  start_detached
  eventually [ -s "$run_folder/output/step" ]
  kill -9 "$(event rank_started 'select(.attempt == 0 and .rank == 1) | .pid')"
  eventually has_first_step 1
  "$DDPSUBMIT" cancel last
  local last first
  last=$(event attempt_ended 'select(.attempt == 0) | .last_step')
  first=$(jq -r 'select(.attempt == 1 and .kind == "first_step") | .step' "$run_folder/metrics.jsonl")
  "$DDPSUBMIT" describe last --json | jq -e ".recovery.failures == 1 and .recovery.lost_steps == $((last - first + 1))"
  "$DDPSUBMIT" describe last --json | jq -e '.recovery.effective_training_time_ratio > 0'
}

@test "a program that fails twice at the same step is not started a third time" {
  run "$DDPSUBMIT" run run.yaml environment.set.FAIL_AT=20
  [ "$status" -eq 1 ]
  [[ $output == *'after step 20'*'Not restarted: the last two attempts failed at the same step'* ]]
  [[ $output == *'the data of step 20 are wrong'* ]]
}

@test "a program that tells nothing is stopped by a signal, as ever" {
  write_config 2 'trap "exit 3" TERM; while :; do sleep 0.1; done'
  start_detached
  eventually rank_is_recorded 0 1
  "$DDPSUBMIT" cancel last
  [ "$(cat "$run_folder/exit/attempt-0"/rank-*.json | jq -r .code | sort -u)" = 3 ]
}

@test "a program that tells its steps and does not ask for stops gets the signal" {
  cat >asks.py <<'PYTHON'
import signal, sys, time, ddpsubmit
signal.signal(signal.SIGTERM, lambda *_: sys.exit(4))
for n in range(1, 100000):
    ddpsubmit.step(n)
    time.sleep(0.01)
PYTHON
  sed -i "s|^command:.*|command: [python3, asks.py]|" run.yaml
  start_detached
  eventually all_ranks_have_stepped
  "$DDPSUBMIT" cancel last
  [ "$(cat "$run_folder/exit/attempt-0"/rank-*.json | jq -r .code | sort -u)" = 4 ]
}
