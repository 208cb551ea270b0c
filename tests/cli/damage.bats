# A run folder that is damaged, holds what is no file, or lies on a full disk: the run is stopped and started again all the same.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run

setup() {
  isolate_user
  write_config 1 'touch "up.$RANK"; exec sleep 1000'
}

teardown() { kill_processes_of_run; }

start() {
  rm -f up.0
  start_detached
  eventually ranks_are_up 1
}

# damage_lines EVENT FILE: in the file that its writer has open.
damage_lines() {
  local text
  text=$(sed "/\"$1\"/s/.*/damaged/" "$2")
  echo "$text" >"$2"
}

# damage_with HOW FILE...: behind what is there.
damage_with() {
  local how=$1 file
  shift
  for file; do
    case $how in
      zeros) head -c 200 /dev/zero >>"$file" && echo >>"$file" ;;
      torn) echo '{"time":"2026-01-01T00:00:00.000Z","event":"rank_sta' >>"$file" ;;
      large) truncate -s 70M "$file" && echo >>"$file" ;;
    esac
  done
}

pid_of_head() { event head_started .pid | tail -n 1; }
head_has_ended() { ! kill -0 "$1" 2>/dev/null; }

# event() reads all lines, which are no JSON here.
whole_lines() { cat "$run_folder"/ledger/*.jsonl | tr -d '\0' | jq -cR 'fromjson?'; }

@test "whatever has become of lines of the ledger: they are told, and the run is cancelled and started again" {
  local how
  for how in zeros torn large; do
    start
    damage_with "$how" "$run_folder"/ledger/{head-0,submit}.jsonl
    [ "$(state_of_run)" = running ]
    "$DDPSUBMIT" cancel last >said 2>&1
    grep -q '^warning: .*/ledger/head-0.jsonl:[0-9]* cannot be read: the line is ignored$' said
    grep -q '^warning: .*/ledger/submit.jsonl:3 cannot be read: the line is ignored$' said
    grep -q cancelled said
    no_process_of_run
    [ "$(whole_lines | jq -r 'select(.event == "stop_requested") | .reason')" = cancel ]
    rm up.0
    "$DDPSUBMIT" rerun last --detach 2>/dev/null
    eventually ranks_are_up 1
    grep -q '^ddp-agent: warning: .*/ledger/submit.jsonl:3 cannot be read' "$run_folder/logs/head.log"
    "$DDPSUBMIT" cancel last 2>/dev/null
  done
}

@test "a run whose head is named in damaged lines is cancelled, as long as one line names it" {
  start
  damage_lines submitted "$run_folder/ledger/submit.jsonl"
  [ "$(state_of_run)" = running ]
  "$DDPSUBMIT" cancel last 2>/dev/null | grep cancelled
  no_process_of_run
  start
  damage_lines head_started "$run_folder/ledger/head-0.jsonl"
  [ "$(state_of_run)" = running ]
  "$DDPSUBMIT" cancel last 2>/dev/null | grep cancelled
  no_process_of_run
}

@test "a head that no line names cannot be told: exit 7 at once, with how to find it" {
  start
  local head
  head=$(pid_of_head)
  damage_lines submitted "$run_folder/ledger/submit.jsonl"
  damage_lines head_started "$run_folder/ledger/head-0.jsonl"
  run "$DDPSUBMIT" cancel last
  [ "$status" -eq 7 ]
  [[ $output == *"the process id of the run's head is unknown: "*submit.jsonl:2* ]]
  [[ $output == *"pgrep -af -- '--run-dir $run_folder'"* ]]
  [[ $(pgrep -af -- "--run-dir $run_folder") == "$head "* ]]
  run "$DDPSUBMIT" rerun last --detach
  [ "$status" -eq 7 ]
  kill "$head"
  eventually no_process_of_run
}

@test "a run whose head was killed can be started again, damaged or not" {
  start
  damage_with zeros "$run_folder"/ledger/{head-0,submit}.jsonl
  kill -9 "$(whole_lines | jq -r 'select(.event == "head_started") | .pid')"
  eventually no_process_of_run
  rm up.0
  "$DDPSUBMIT" rerun last --detach 2>/dev/null
  eventually ranks_are_up 1
  "$DDPSUBMIT" cancel last 2>/dev/null
}

@test "behind damaged lines a success is one only with the exit records of all ranks" {
  write_config 2 true
  start_detached
  "$DDPSUBMIT" wait last
  [ "$(state_of_run)" = succeeded ]
  damage_with zeros "$run_folder/ledger/head-0.jsonl"
  [ "$(state_of_run 2>/dev/null)" = succeeded ]
  rm "$run_folder/exit/attempt-0/rank-1.json"
  [ "$(state_of_run 2>/dev/null)" = unknown ]
}

@test "a run on a full disk is cancelled, and that this is not on record is told" {
  can_mount || skip 'it takes root, and mounts of its own'
  mkdir runs
  unshare --mount bash -c 'mount -t tmpfs -o size=1m small runs
    "$0" run run.yaml --detach 2>/dev/null
    until [[ -e up.0 ]]; do sleep 0.05; done
    cat /dev/zero >runs/filler 2>/dev/null
    "$0" cancel last
    echo "exit code $?"
    ls runs/*/ledger' "$DDPSUBMIT" >said 2>&1
  grep -q '^warning: the cancellation of run .* could not be recorded: .*No space left on device; stopping the run all the same$' said
  grep -qx 'exit code 0' said
  run grep -x 'cancel-.*' said
  [ "$status" -eq 1 ] # nothing is left of it
  run_folder=$PWD/runs/$(sed -n 1p said)
  no_process_of_run
}

@test "checkpoints that do not fit on the disk are shown while the training goes on" {
  can_mount || skip 'it takes root, and mounts of its own'
  mkdir runs
  unshare --mount bash -c 'mount -t tmpfs -o size=1m small runs
    "$0" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" run_root=runs train.epochs=null train.max_steps=60000 \
      train.checkpoint.every_steps=20 train.log.every_steps=20 train.data.batch_size=16 --detach 2>/dev/null
    until "$0" status last | grep "the checkpoint of step [0-9]* could not be written: .* does not fit"; do sleep 0.2; done
    "$0" describe last | grep -c "could not be written"
    "$0" cancel last' "$DDPSUBMIT" >said 2>&1
  cat said
  grep -qE '^fashion-mlp-[^ ]+ +running .*step [0-9]+ of 60000' said
  grep -qx 1 said
}

# replace FILE KIND: FILE is no file any more, until `restore`.
replace() {
  mv "$1" kept 2>/dev/null || true
  case $2 in
    fifo) mkfifo "$1" ;;
    socket) (cd "${1%/*}" && perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die' "${1##*/}") ;;
    device) ln -s /dev/zero "$1" ;;
  esac
}
restore() {
  rm -f "$1"
  [[ ! -e kept ]] || mv kept "$1"
}

# N: the newest attempt.
files_of_run=(plan.json spec.yaml metrics.jsonl secrets.json ledger/{head-0,submit,cancel-1-1}.jsonl exit/attempt-N/rank-0.json
  attempts/N/claim.json logs/attempt-N/rank-0.out logs/head.log checkpoints)
newest_attempt() { basename "$(find "$run_folder/attempts" -mindepth 1 -maxdepth 1 | sort -V | tail -n 1)"; }

@test "what is no file keeps no verb waiting, wherever it stands in a run folder" {
  write_config 1 'echo hello'
  "$DDPSUBMIT" run run.yaml
  use_only_run
  local kind file verb
  for file in "${files_of_run[@]}"; do
    file=${file/N/$(newest_attempt)}
    for kind in fifo socket device; do
      replace "$run_folder/$file" "$kind"
      for verb in list 'describe last' 'logs last --tail 3' 'wait last' 'cancel last' 'status last'; do
        # shellcheck disable=SC2086 # words of it
        run "$DDPSUBMIT" $verb
        ((status < 128))
        echo "$output" >said
      done
      # The secrets of a run that has ended are removed, whatever they are.
      [[ $file = secrets.json ]] || grep -iE "^warning: cannot (read|list) .*/$file: it is (a $kind, not a regular file|not a folder); it is ignored$" said
      restore "$run_folder/$file"
    done
    replace "$run_folder/$file" fifo
    "$DDPSUBMIT" rerun last &>said || true
    [[ $file != logs/head.log ]] || grep "cannot write '.*/logs/head.log'" said
    restore "$run_folder/$file"
  done
  "$DDPSUBMIT" rerun last
}

@test "behind a damaged last word of head a success is one all the same, and a failure says that its end may be lost" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  use_only_run
  sed -i '$s/.*/damaged/' "$run_folder/ledger/head-0.jsonl"
  [ "$(state_of_run 2>/dev/null)" = succeeded ]
  "$DDPSUBMIT" wait last
  rm "$run_folder"/ledger/observer-* "$run_folder/exit/attempt-0/rank-0.json"
  [ "$(state_of_run 2>/dev/null)" = unknown ]
  [ -z "$(find "$run_folder/ledger" -name 'observer-*')" ] # it may be read later
  sed -i 's/.*/damaged/' "$run_folder/ledger/head-0.jsonl"
  run "$DDPSUBMIT" status last
  [[ $output == *'died without recording how the run ended'*'; the part of its ledger that cannot be read may name the cause'* ]]
}

@test "attempts that no head can have claimed, and a folder without attempts: head says so" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  use_only_run
  mkdir "$run_folder/attempts/2147483647"
  run "$DDPSUBMIT" rerun last --follow
  [ "$status" -eq 1 ]
  grep -q '/attempts/2147483647 is not an attempt that a head has claimed$' "$run_folder/logs/head.log"
  "$DDPSUBMIT" status last
  rm -r "$run_folder/attempts"
  run "$DDPSUBMIT" rerun last --follow
  [ "$status" -eq 1 ]
  grep -q 'cannot list .*/attempts: No such file' "$run_folder/logs/head.log"
}

@test "an empty folder with the name of a checkpoint is none: rerun trains on" {
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" resources.tasks_per_node=1 train.max_steps=20
  use_only_run
  mkdir "$run_folder/checkpoints/step-00000999-a0"
  [ "$("$DDPSUBMIT" status last --json | jq '.runs[0].checkpoint.step')" = 20 ]
  sed -i 's/max_steps: 20\b/max_steps: 40/' "$run_folder/spec.yaml"
  "$DDPSUBMIT" rerun last --follow
  [ "$(event head_started .resumes_from | tail -n 1)" = 20 ]
  [ -e "$run_folder"/checkpoints/step-00000040-a1/manifest.json ]
}

@test "a training whose metrics.jsonl is a FIFO does not wait: it fails, and says why" {
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" resources.tasks_per_node=1 train.max_steps=20
  use_only_run
  replace "$run_folder/metrics.jsonl" fifo
  sed -i 's/max_steps: 20\b/max_steps: 40/' "$run_folder/spec.yaml"
  run "$DDPSUBMIT" rerun last --follow
  [ "$status" -eq 1 ]
  [[ $output == *"cannot read $run_folder/metrics.jsonl: it is a FIFO, not a regular file; remove it"* ]]
  restore "$run_folder/metrics.jsonl"
  "$DDPSUBMIT" rerun last --follow
}

@test "a FIFO in the place of a checkpoint's file makes it one that cannot be used, and keeps no training waiting" {
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" resources.tasks_per_node=1 train.max_steps=20 train.checkpoint.every_steps=10
  use_only_run
  sed -i 's/max_steps: 20\b/max_steps: 40/' "$run_folder/spec.yaml"
  replace "$run_folder/checkpoints/step-00000020-a0/state.json" fifo
  "$DDPSUBMIT" rerun last --follow >said 2>&1
  grep 'step-00000020-a0 cannot be used: .*/state.json. is not a regular file' said
  [ -e "$run_folder"/checkpoints/step-00000040-a1/manifest.json ]
}
