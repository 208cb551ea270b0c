# Hosts that share no folder: programs and run folder are copied, and what the run records comes back.
# /scratch is each host's own; the rest of the rig's file system they do share, and the tests look that nothing is left to that.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets the names

load ../support/ssh_run

setup() { isolate_user; }
teardown() {
  reconnect node1
  "$DDPSUBMIT" cancel last &>/dev/null || true
}

pushed=(ssh.stage=push ssh.push_folder=/scratch/ddp)
own_folder=/scratch/ddp

# The run folder is not where the submit host has it: whoever needs that one there does not find it.
run_dir_on_hosts() { echo "$own_folder/runs/$run_id"; }
nothing_lives() { ! grep -qsF "$(run_dir_on_hosts)" /proc/[0-9]*/cmdline /proc/[0-9]*/environ; }
contents_on() { on_host "$1" find "$own_folder/content" -type f -printf '%f %i\n' | sort; }
line_is_there() { "$DDPSUBMIT" logs "$run_id" --rank "$1" 2>/dev/null | grep -qx "$2"; }

@test "a training ends with the bytes of one on this machine; its records and logs are here, its checkpoints there" {
  train 2 2 "${pushed[@]}"
  grep -q 'copying [0-9]* MB to node1' said
  "$DDPSUBMIT" wait "$run_id"
  local latest
  latest=$(on_host node1 cat "$(run_dir_on_hosts)/checkpoints/LATEST")
  on_host node1 cat "$(run_dir_on_hosts)/checkpoints/$latest/model.safetensors" | cmp - "$(train_locally 4)"
  [ "$(exit_records '"\(.host) \(.code)"' | sort | uniq -c | xargs)" = '2 node1 0 2 node2 0' ]
  [ ! -e "$run_folder/checkpoints/$latest/model.safetensors" ]
  [ "$("$DDPSUBMIT" describe "$run_id" --json | jq ".recovery.attempts | length")" = 1 ]
  [ "$("$DDPSUBMIT" describe "$run_id" --json | jq -r .checkpoint.folder)" = "node1:$(run_dir_on_hosts)/checkpoints/$latest" ]
  nothing_lives
}

@test "a folder that cannot be made is named: exit 10" {
  on_host node2 touch /scratch/file
  run command_run 2 true ssh.stage=push ssh.push_folder=/scratch/file/me
  [ "$status" -eq 10 ]
  grep -q 'node2: .*/scratch/file.*: Not a directory' said
  grep -q 'set ssh.push_folder' said
}

@test "what a host has is not copied again" {
  train 2 1 "${pushed[@]}" train.max_steps=5
  "$DDPSUBMIT" wait "$run_id"
  local before
  before=$(contents_on node1; contents_on node2)
  [ -n "$before" ]
  train 2 1 "${pushed[@]}" train.max_steps=5
  "$DDPSUBMIT" wait "$run_id"
  [ "$(contents_on node1; contents_on node2)" = "$before" ]
  [ "$(grep -c copying said)" -eq 0 ]
  [ "$(find "$PWD/runs/$run_id" -name '*.so*' | wc -l)" -eq 0 ]
}

@test "lines come while the run goes on, and all of them are there at its end" {
  command_run 2 'echo "rank $RANK begins"; until [ -e /scratch/go ]; do sleep 0.05; done; seq 100000' "${pushed[@]}"
  eventually line_is_there 1 'rank 1 begins'
  is_in_state running
  on_host node1 touch /scratch/go
  on_host node2 touch /scratch/go
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 1 | tail -n +2 | cksum)" = "$(seq 100000 | cksum)" ]
  on_host node1 rm /scratch/go
  on_host node2 rm /scratch/go
}

@test "secrets and environment reach the ranks; the first failure is named" {
  export TOKEN_OF_TEST=s3cret-value
  command_run 2 'echo "$SET $TOKEN_OF_TEST"; pwd; [ "$RANK" = 0 ] || { echo "no data" >&2; exit 3; }; sleep 1000' "${pushed[@]}" \
    'environment.set.SET=set here' 'environment.secrets=[TOKEN_OF_TEST]'
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [[ $output == *'rank 1 on node2'*'exit code 3'* && $output == *'no data'* ]]
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 1 | paste -sd ,)" = "set here s3cret-value,$(run_dir_on_hosts)" ]
  on_host node2 test ! -e "$(run_dir_on_hosts)/secrets.json"
  nothing_lives
}

@test "cancel from another shell" {
  command_run 2 'touch /scratch/up; sleep 1000' "${pushed[@]}"
  eventually on_host node2 test -e /scratch/up
  "$DDPSUBMIT" cancel "$run_id"
  is_in_state cancelled
  nothing_lives
}

@test "a rank that is killed starts again from the checkpoint, to the same bytes; so does rerun after a cancel" {
  local disturb
  for disturb in kill cancel; do
    rm -rf runs local
    train 2 2 "${pushed[@]}"
    eventually has_step 100
    if [ "$disturb" = kill ]; then
      kill -9 "$(pid_of_rank 0 3)"
      "$DDPSUBMIT" wait "$run_id"
      [ "$(outcomes)" = 'failed succeeded' ]
    else
      "$DDPSUBMIT" cancel "$run_id"
      "$DDPSUBMIT" rerun "$run_id" --detach
      "$DDPSUBMIT" wait "$run_id"
      [ "$(outcomes)" = 'cancelled succeeded' ]
    fi
    on_host node1 cat "$(run_dir_on_hosts)/checkpoints/$(on_host node1 cat "$(run_dir_on_hosts)/checkpoints/LATEST")/model.safetensors" |
      cmp - "$(train_locally 4)"
  done
}
has_step() { is_in_state running && [ "$(jq -r 'select(.kind == "train") | .step' "$run_folder/metrics.jsonl" 2>/dev/null | tail -n 1)" -ge "$1" ]; }

@test "a folder that hosts share is not one that each has for itself: exit 10" {
  run command_run 2 true ssh.stage=push "ssh.push_folder=$PWD/shared"
  [ "$status" -eq 10 ]
  grep -q "node2: its '$PWD/shared' is that of node1, too" said
}

@test "a cancel that could not reach the host is handed over when it can" {
  command_run 2 'touch /scratch/up; sleep 1000' "${pushed[@]}"
  eventually on_host node2 test -e /scratch/up
  cut_off node1
  run "$DDPSUBMIT" cancel "$run_id"
  [ "$status" -eq 7 ]
  is_in_state unknown
  reconnect node1
  eventually is_in_state cancelled
  eventually nothing_lives
}
