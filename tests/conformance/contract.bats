# The contract of a launcher: environment, logs, states, cancel, first failure, stop, resume, restart, exit codes.
# LAUNCHER names it; it has four ranks.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

bats_require_minimum_version 1.5.0
load ../support/restarts
load launchers

setup() {
  isolate_user
  # shellcheck disable=SC2154 # of launchers.bash
  read -ra launch <<<"${arguments_of[$LAUNCHER]}"
}

teardown() { "$DDPSUBMIT" cancel last &>/dev/null || true; }

# submit COMMAND [KEY=VALUE...]: ranks that run COMMAND in a shell; sets run_id and run_folder.
submit() {
  local command=$1
  shift
  cat >run.yaml <<CONFIG
name: job
run_root: runs
fault_tolerance: {grace_period: 5s}
command: [sh, -c, $(jq -n --arg text "$command" '$text')]
CONFIG
  "$DDPSUBMIT" run run.yaml "${launch[@]}" "$@" --detach >id
  use_run
}

# train: the example's model, four ranks.
train() {
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" "${launch[@]}" "run_root=$PWD/runs" "${training[@]}" --detach >id
  use_run
}

use_run() {
  run_id=$(<id)
  run_folder=$PWD/runs/$run_id
}

state() { "$DDPSUBMIT" status "$run_id" --json | jq -r '.runs[0].state'; }
is_running() { [[ $(event attempt_started .attempt) == *"${1:-0}"* ]]; }

@test "each rank knows its place, and a program its torch variables" {
  submit 'echo "$RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $NODE_RANK $DDPSUBMIT_LAUNCHER"; [ -n "$MASTER_ADDR" ] && [ "$MASTER_PORT" -gt 0 ]'
  "$DDPSUBMIT" wait "$run_id"
  local nodes per_node
  nodes=$(jq .nodes "$run_folder/plan.json") per_node=$(jq .tasks_per_node "$run_folder/plan.json")
  for rank in 0 1 2 3; do
    [ "$("$DDPSUBMIT" logs "$run_id" --rank $rank --stdout)" = "$rank $((rank % per_node)) 4 $per_node $((rank / per_node)) $LAUNCHER" ]
  done
  [ "$((nodes * per_node))" = 4 ]
}

@test "what the file sets, passes and keeps secret reaches the ranks, and a secret nothing else" {
  export TOKEN_OF_TEST=s3cret-value PASSED=from-here
  submit 'echo "$SET $PASSED $TOKEN_OF_TEST"' 'environment.set.SET=set here' 'environment.pass=[PASSED]' \
    'environment.secrets=[TOKEN_OF_TEST]'
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 3 --stdout)" = 'set here from-here s3cret-value' ]
  run ! grep -rF s3cret-value "$run_folder" --exclude-dir=logs
}

all_ranks_sleep() {
  "$DDPSUBMIT" stack "$run_id" --json | jq -e '.ranks | map(.rank) == [0, 1, 2, 3] and all(.frames | join(" ") | contains("nanosleep"))'
}

# threads_of KEY=VALUE...: OMP_NUM_THREADS of a rank of a run with them, and as describe shows it.
threads_of() {
  submit 'echo "$OMP_NUM_THREADS"' "$@"
  "$DDPSUBMIT" wait "$run_id"
  "$DDPSUBMIT" logs "$run_id" --rank 3 --stdout
  "$DDPSUBMIT" describe "$run_id" | sed -n 's/^ *OMP_NUM_THREADS=/shown /p'
}

@test "OMP_NUM_THREADS is what the user has set, and the CPUs of a rank where it only comes from the shell" {
  export OMP_NUM_THREADS=6
  [ "$(threads_of)" = $'1\nshown 1' ]
  [ "$(threads_of environment.set.OMP_NUM_THREADS=8)" = $'8\nshown 8' ]
  [ "$(threads_of 'environment.pass=[OMP_NUM_THREADS]')" = $'6\nshown 6' ]
  [ "$(threads_of 'environment.setup=[export OMP_NUM_THREADS=5]')" = $'5\nshown 5' ]
}

@test "the command of notify is told the end, and has the secrets" {
  export TOKEN_OF_TEST=s3cret-value
  submit 'exit 3' 'environment.secrets=[TOKEN_OF_TEST]' \
    'notify.command=[sh, -c, "echo \"$TOKEN_OF_TEST\" >has; cat >told.new; mv told.new told"]'
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  eventually test -e told
  [ "$(jq -r '"\(.event) \(.state) \(.launcher) \(.run_id)"' told)" = "failed failed $LAUNCHER $run_id" ]
  [ "$(<has)" = s3cret-value ]
  run grep -rl s3cret-value "$run_folder"
  [ "$status" -eq 1 ]
}

@test "stack tells where each rank is" {
  submit 'exec sleep 1000'
  eventually is_running
  eventually all_ranks_sleep
  "$DDPSUBMIT" stack "$run_id" --rank 3 | grep -q '^rank 3 on '
  "$DDPSUBMIT" cancel "$run_id"
}

no_secrets() { [[ -z $(find "$PWD/runs" -name secrets.json) ]]; }

@test "secrets go with the run, however it ends and whoever sees it" {
  export TOKEN_OF_TEST=s3cret-value
  local command
  for command in true 'exit 3'; do
    submit "$command" 'environment.secrets=[TOKEN_OF_TEST]'
    "$DDPSUBMIT" wait "$run_id" || true
    no_secrets
    "$DDPSUBMIT" run run.yaml "${launch[@]}" 'environment.secrets=[TOKEN_OF_TEST]' --follow || true
    no_secrets
  done
  submit 'touch "up.$RANK"; sleep 1000' 'environment.secrets=[TOKEN_OF_TEST]'
  eventually ranks_are_up 4
  "$DDPSUBMIT" cancel "$run_id"
  no_secrets
}

@test "set-up lines run before the ranks, which have what they export; the first that fails is named" {
  submit 'echo "$FROM_SETUP"' 'environment.setup=[export FROM_SETUP="a b"]'
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 3 --stdout)" = 'a b' ]
  submit 'touch reached' 'environment.setup=["true", "cd /no/such/folder"]'
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [[ $output == *'/no/such/folder'* ]]
  [ ! -e reached ]
  eventually no_process_of_run
}

@test "a stop during the set-up lines leaves nothing" {
  submit true 'environment.setup=["setsid sleep 1000 & touch up; sleep 1000"]'
  eventually test -e up
  "$DDPSUBMIT" cancel "$run_id"
  [ "$(state)" = cancelled ]
  eventually no_process_of_run
}

@test "lines of all ranks and both streams; a rank can be chosen" {
  submit 'echo "out of $RANK"; echo "err of $RANK" >&2'
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --stdout | sort | paste -sd ,)" = '[r0] out of 0,[r1] out of 1,[r2] out of 2,[r3] out of 3' ]
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 2 --stderr)" = 'err of 2' ]
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 2)" = $'out of 2\n[err] err of 2' ]
}

@test "the lines of both streams come in the order in which a rank has printed them" {
  submit 'for turn in 1 2; do echo "err $turn" >&2; sleep 0.5; echo "out $turn"; sleep 0.5; done'
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 3)" = $'[err] err 1\nout 1\n[err] err 2\nout 2' ]
}

@test "running, then succeeded; wait ends with 0" {
  submit 'touch "up.$RANK"; until [ -e go ]; do sleep 0.05; done'
  eventually ranks_are_up 4
  [ "$(state)" = running ]
  run "$DDPSUBMIT" wait "$run_id" --timeout 1s
  [ "$status" -eq 8 ]
  touch go
  "$DDPSUBMIT" wait "$run_id"
  [ "$(state)" = succeeded ]
  [ "$(exit_records .code | paste -sd ' ')" = '0 0 0 0' ]
  eventually no_process_of_run
}

@test "run --follow prints what the ranks print, and ends with 0" {
  submit true
  run --separate-stderr "$DDPSUBMIT" run run.yaml "${launch[@]}" 'command=[sh, -c, "echo line of $RANK"]' --follow
  [ "$status" -eq 0 ]
  [ "$(sort <<<"$output" | paste -sd ,)" = '[r0] line of 0,[r1] line of 1,[r2] line of 2,[r3] line of 3' ]
}

@test "the first failure is named, its peers are stopped, and wait ends with 1" {
  submit 'touch "up.$RANK"; until [ -e go ]; do sleep 0.05; done; [ "$RANK" = 2 ] && { echo "no data" >&2; exit 3; }; sleep 1000'
  eventually ranks_are_up 4
  touch go
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [ "$(event run_ended '"\(.state) \(.cause.rank) \(.cause.code)"')" = 'failed 2 3' ]
  [[ $output == *'rank 2 on '*'exit code 3'* && $output == *'no data'* ]]
  eventually no_process_of_run
}

@test "cancel ends it, also what the ranks have started; once more is harmless" {
  submit 'setsid sleep 1000 & touch "up.$RANK"; sleep 1000'
  eventually ranks_are_up 4
  "$DDPSUBMIT" cancel "$run_id"
  [ "$(state)" = cancelled ]
  eventually no_process_of_run
  "$DDPSUBMIT" cancel "$run_id"
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
}

@test "a program is asked to stop before it is killed" {
  submit 'trap "echo asked; exit 0" TERM; touch "up.$RANK"; while :; do sleep 0.05; done'
  eventually ranks_are_up 4
  "$DDPSUBMIT" cancel "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 1 --stdout)" = asked ]
}

# write_saver: save.py, which takes a second to save when it is asked to stop; with DEAF it does not hear.
write_saver() {
  cat >save.py <<'PYTHON'
import os, signal, sys, time

def stop(number, frame):
    time.sleep(1)
    open('saved.' + os.environ['RANK'], 'w').close()
    sys.exit(0)

signal.signal(signal.SIGTERM, signal.SIG_IGN if 'DEAF' in os.environ else stop)
open('up.' + os.environ['RANK'], 'w').close()
while True:
    time.sleep(0.05)
PYTHON
}

@test "a program behind a shell, a pipe, a wrapper or in a session of its own has the grace period, too" {
  write_saver
  submit 'case $RANK in
    0) python3 save.py; echo after ;;
    1) python3 save.py | cat ;;
    2) setsid python3 save.py & wait ;;
    3) python3 -c "import subprocess; subprocess.run([\"python3\", \"save.py\"])"; echo after ;;
  esac' fault_tolerance.grace_period=30s
  eventually ranks_are_up 4
  "$DDPSUBMIT" cancel "$run_id"
  [ "$(printf '%s ' saved.*)" = 'saved.0 saved.1 saved.2 saved.3 ' ]
  # The shell of rank 3 may see python3 die before it is told itself, and end with 0.
  [[ $(exit_records '"\(.rank) \(.signal // .code) \(.killed)"' | sort | xargs) =~ ^'0 15 1 15 2 15 3 '(15|0)$ ]]
  eventually no_process_of_run
}

@test "what lives on behind a shell until the grace is over is killed, and named" {
  write_saver
  submit 'DEAF=1 python3 save.py; echo after' fault_tolerance.grace_period=2s
  eventually ranks_are_up 4
  "$DDPSUBMIT" cancel "$run_id"
  [ "$(state)" = cancelled ]
  [[ $(exit_records '"\(.rank) \(.signal) \(.killed)"' | sort | head -n 1) =~ ^'0 9 python3 (pid '[0-9]+')'$ ]]
  "$DDPSUBMIT" describe "$run_id" | grep -qE '^ *the first process of rank 0 had ended; python3 \(pid [0-9]+\) went on and was killed$'
  eventually no_process_of_run
}

@test "when a rank fails, those with a handler of TERM have two seconds to clean up; the others have none" {
  cat >clean.py <<'PYTHON'
import os, signal, sys, time

rank = os.environ['RANK']
if rank == '2':
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(4))
if rank == '3':
    signal.signal(signal.SIGTERM, lambda *_: None)
open('up.' + rank, 'w').close()
try:
    while not (rank == '0' and os.path.exists('go')):
        time.sleep(0.05)
    sys.exit(3)
finally:
    open('cleaned.' + rank, 'w').close()
PYTHON
  submit 'exec python3 clean.py'
  eventually ranks_are_up 4
  touch go
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [[ $output == *'rank 0 on '*'exit code 3'*'the other 3 ranks were stopped'* ]]
  [ "$(printf '%s ' cleaned.*)" = 'cleaned.0 cleaned.2 ' ]
  [ "$(exit_records '"\(.rank) \(.code) \(.signal) \(.ended_by)"' | sort | paste -sd ,)" = \
    '0 3 null itself,1 null 9 agent,2 4 null agent,3 null 9 agent' ]
}

@test "a training starts again when a rank is killed, is cancelled and run again, and ends with the bytes of an undisturbed one" {
  training=("${training[@]/train.max_steps=*/train.max_steps=1000}")
  train
  eventually has_checkpoint 0
  kill -9 "$(pid_of_rank 0 3)"
  eventually has_checkpoint 1
  [ "$(event restarting '"\(.next_attempt) \(.cause.rank) \(.cause.signal)"')" = '1 3 9' ]
  "$DDPSUBMIT" cancel "$run_id"
  [ "$(state)" = cancelled ]
  "$DDPSUBMIT" rerun "$run_id" --detach
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event attempt_ended .outcome | paste -sd ' ')" = 'failed cancelled succeeded' ]
  has_undisturbed_bytes "$run_folder"
  eventually no_process_of_run
}
