# Hosts that share no folder: programs and run folder are copied, and what the run records comes back.
# /scratch is each host's own; the rest of the rig's file system they do share, and the tests look that nothing is left to that.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets the names

load ../support/ssh_run
load ../support/repository
load ../support/second_try

setup() { isolate_user; }
teardown() {
  reconnect node1
  reconnect node2
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
  grep -q 'copying [0-9.]* MiB to node1' said
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

@test "a sharded training on several hosts is refused, on one it is not: exit 10" {
  run train 2 1 "${pushed[@]}" train.strategy=fsdp
  [ "$status" -eq 10 ]
  grep -q 'with train.strategy: fsdp every rank writes its own part of a checkpoint' said
  grep -q 'set ssh.stage: shared' said
  train 1 2 "${pushed[@]}" train.strategy=fsdp train.max_steps=3
  "$DDPSUBMIT" wait "$run_id"
}

@test "a folder that cannot be made is named: exit 10" {
  on_host node2 touch /scratch/file
  run command_run 2 true ssh.stage=push ssh.push_folder=/scratch/file/me
  [ "$status" -eq 10 ]
  grep -q 'node2: .*/scratch/file.*: Not a directory' said
  grep -q 'set ssh.push_folder' said
}

@test "a host without room for ddp-agent says so: exit 10" {
  on_host node1 mkdir /scratch/tiny
  on_host node1 mount -t tmpfs -o size=1m tiny /scratch/tiny
  run command_run 2 true ssh.stage=push ssh.push_folder=/scratch/tiny/ddp
  [ "$status" -eq 10 ]
  grep -q "node1: cannot copy ddp-agent into '/scratch/tiny/ddp': .*No space left on device" said
}

@test "a host without room for what it lacks is told on all hosts before anything is copied: exit 10" {
  local host
  head -c 3000000 /dev/urandom >large.bin
  for host in node1 node2; do
    on_host "$host" mkdir -p /scratch/narrow
    on_host "$host" mount -t tmpfs -o size=9m narrow /scratch/narrow
  done
  run command_run 2 true ssh.stage=push ssh.push_folder=/scratch/narrow/ddp 'ssh.push=[large.bin]'
  [ "$status" -eq 10 ]
  cat said
  for host in node1 node2; do
    grep -qE "$host: '/scratch/narrow/ddp' has too little room: [0-9.]+ MiB are needed, [0-9.]+ MiB are free" said
    [ -z "$(on_host "$host" find /scratch/narrow/ddp/content -name '*[0-9a-f]' -size +1M)" ]
    on_host "$host" umount /scratch/narrow
  done
  grep -q 'remove old runs (ddpsubmit prune), or set ssh.push_folder to a folder on another disk' said
}

part_on() { on_host "$1" find /scratch/broken/content -name '.part.*' -size +3M | grep -q .; }
# The session on the host holds it until it knows that its connection is gone.
part_is_released_on() { on_host "$1" find /scratch/broken/content -name '.part.*' -exec flock --nonblock '{}' echo free ';' | grep -qx free; }

@test "a copy to a host that breaks off shows how far it is, and the next one goes on from there" {
  head -c 60000000 /dev/urandom >large.bin
  command_run 1 true ssh.stage=push ssh.push_folder=/scratch/broken
  "$DDPSUBMIT" wait "$run_id"
  tc qdisc replace dev port1 root tbf rate 30mbit burst 32kb latency 500ms
  command_run 1 true ssh.stage=push ssh.push_folder=/scratch/broken 'ssh.push=[large.bin]' 3>&- &
  eventually grep -qE '^node1: [0-9.]+ MiB of 57.2 MiB, [0-9.]+ [KM]iB/s, [0-9]+ s left$' said
  eventually part_on node1
  pkill -9 -f 'ssh.push_folder=/scratch/broken'
  wait
  tc qdisc del dev port1 root
  eventually part_is_released_on node1
  command_run 1 'sha256sum <large.bin' ssh.stage=push ssh.push_folder=/scratch/broken 'ssh.push=[large.bin]'
  grep -qE '^copying [0-9.]+ MiB to node1: 1 file$' said
  [ "$(sed -nE 's/^copying ([0-9]+).*/\1/p' said)" -lt 57 ]
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --stdout)" = "$(sha256sum <large.bin)" ]
}

as_stranger_on() {
  local host=$1
  shift
  on_host "$host" setpriv --reuid 12345 --regid 12345 --clear-groups "$@"
}
# The agent of a stranger, which would tell that it was run.
plant_agent_on() {
  local place
  place=$2/programs/$(sha256sum <"$DDP_AGENT" | cut -d ' ' -f 1)
  # shellcheck disable=SC2016 # for the stranger's shell
  as_stranger_on "$1" sh -c 'umask 022 && mkdir -p "$1" && printf "#!/bin/sh\ntouch /scratch/taken\n" >"$1/ddp-agent" && chmod 755 "$1/ddp-agent"' sh "$place"
}
refused_on_node1() {
  run command_run 2 true ssh.stage=push "ssh.push_folder=$1"
  [ "$status" -eq 10 ]
  grep -q "node1: .*$2" said
  grep -q 'set ssh.push_folder to a folder that this user, and nobody else' said
  on_host node1 test ! -e /scratch/taken
}

@test "a folder in the home of the hosts is written with ~" {
  command_run 1 'pwd' ssh.stage=push 'ssh.push_folder=~/copies of mine'
  "$DDPSUBMIT" wait "$run_id"
  [[ $("$DDPSUBMIT" logs "$run_id" --stdout) == */'copies of mine'/runs/"$run_id" ]]
  "$DDPSUBMIT" prune "$run_id" --yes
}

@test "what another user has put there first is not run: exit 10" {
  plant_agent_on node1 /scratch/early
  refused_on_node1 /scratch/early "'/scratch/early' belongs to uid 12345"
  # /scratch is sticky; a folder that every user can write to is one in which folders can be exchanged.
  on_host node1 mkdir -m 777 /scratch/open
  refused_on_node1 /scratch/open/me "every user can write to '/scratch/open'"
  on_host node1 test ! -e /scratch/open/me
}

@test "a folder of our own that was open is closed, and what others have left in it is not run" {
  command_run 2 true ssh.stage=push ssh.push_folder=/scratch/wide
  "$DDPSUBMIT" wait "$run_id"
  on_host node1 chmod -R 777 /scratch/wide
  as_stranger_on node1 mv /scratch/wide/programs /scratch/wide/before
  plant_agent_on node1 /scratch/wide
  refused_on_node1 /scratch/wide "'/scratch/wide/programs' belongs to uid 12345"
  [ "$(on_host node1 stat -c %a /scratch/wide)" = 755 ]
  on_host node1 sh -c 'rm -r /scratch/wide/programs && ln -s before /scratch/wide/programs'
  refused_on_node1 /scratch/wide "programs' is a link"
  on_host node1 sh -c 'rm /scratch/wide/programs && mv /scratch/wide/before /scratch/wide/programs && rm -r /scratch/wide/content'
  as_stranger_on node1 mkdir /scratch/theirs
  on_host node1 ln -s /scratch/theirs /scratch/wide/content
  refused_on_node1 /scratch/wide "/scratch/theirs' belongs to uid 12345"
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

own_files=(ssh.stage=push ssh.push_folder=/scratch/files)
# Lines that no other run has had copied.
write_new() { printf '%s\n' "# $BATS_TEST_NUMBER $BASHPID $EPOCHREALTIME" "${@:2}" >"$1"; }

@test "a script and its folder arrive with their modes, and the ranks start among them" {
  local rank program="helpers/-it's \$(touch hacked) \"odd\".sh"
  mkdir -p helpers/.git helpers/deep
  write_new train.py 'import helpers.deep.say'
  write_new helpers/deep/say.py 'print(__file__, flush=True)'
  write_new "$program" 'echo "$0" "$1"'
  touch helpers/.git/config
  chmod 750 "$program"
  command_run 2 'pwd; python3 train.py; stat -c %a helpers/-*; sh helpers/-* "$RANK"; find . -name .git' "${own_files[@]}" \
    'ssh.push=[./train.py, helpers/]'
  "$DDPSUBMIT" wait "$run_id"
  grep -qE 'copying [0-9]+ B to node1: 3 files' said
  grep -qE 'copying [0-9]+ B to node2: 3 files' said
  for rank in 0 1; do
    "$DDPSUBMIT" logs "$run_id" --rank "$rank" --stdout >printed
    diff printed - <<PRINTED
/scratch/files/runs/$run_id/work
/scratch/files/runs/$run_id/work/helpers/deep/say.py
750
$program $rank
PRINTED
  done
  [ ! -e hacked ]
}

@test "import ddpsubmit works on hosts where nothing was installed, behind a PYTHONPATH of theirs" {
  mkdir lib
  echo 'import ddpsubmit, other; print(ddpsubmit.job().rank, other.word)' >show.py
  echo 'word = "theirs"' >lib/other.py
  command_run 2 'python3 show.py' "${pushed[@]}" 'ssh.push=[show.py, lib]' environment.set.PYTHONPATH=lib
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" | sort | paste -sd ,)" = '[r0] 0 theirs,[r1] 1 theirs' ]
}

@test "a relative path of train: means the pushed copy; one that no host gets is an error at its place" {
  mkdir mine
  cp "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" train.yaml
  "$DDPSUBMIT" run train.yaml run_root=here train.epochs=null train.max_steps=1
  cp here/*/checkpoints/*/model.safetensors mine/start.safetensors
  cat >two.yaml <<CONFIG
include: [train.yaml]
launcher: ssh
run_root: runs
resources: {nodes: 2, tasks_per_node: 1}
ssh: {hosts: [node1, node2], stage: push, push_folder: /scratch/ddp, push: [mine]}
train:
  epochs: null
  max_steps: 3
  model: {weights: mine/start.safetensors}
CONFIG
  "$DDPSUBMIT" run two.yaml
  mv mine/start.safetensors elsewhere
  run "$DDPSUBMIT" validate two.yaml train.model.weights=elsewhere
  [ "$status" -eq 3 ]
  [[ $output == *"the hosts do not get '$PWD/elsewhere', which is a path of this machine"*'ssh.push'* ]]
  run "$DDPSUBMIT" validate two.yaml 'ssh.push=[train.yaml]'
  [[ $status -eq 3 && $output == *"the hosts do not get '$PWD/mine/start.safetensors'"*'two.yaml:9:20'* ]]
}

@test "a file that has not changed is not copied again; a rerun has the files that its run began with" {
  local first
  mkdir lib
  write_new lib/value.py 'value = 1'
  write_new train.py 'import lib.value' 'print("first", lib.value.value)'
  command_run 2 'python3 train.py' "${own_files[@]}" 'ssh.push=[train.py, lib]'
  "$DDPSUBMIT" wait "$run_id"
  first=$run_id
  write_new train.py 'print("second")'
  command_run 2 'python3 train.py' "${own_files[@]}" 'ssh.push=[train.py, lib]'
  "$DDPSUBMIT" wait "$run_id"
  grep -qE 'copying [0-9]+ B to node1: 1 file$' said
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 1 --stdout)" = second ]

  on_host node2 sh -c 'echo "print(\"changed\")" >"$1/train.py"; touch "$1/result"' sh "/scratch/files/runs/$first/work"
  "$DDPSUBMIT" rerun "$first" --detach 2>said
  "$DDPSUBMIT" wait "$first"
  [ "$(grep -c copying said)" -eq 0 ]
  [ "$("$DDPSUBMIT" logs "$first" --rank 1 --stdout | sort -u)" = 'first 1' ]
  on_host node2 test -e "/scratch/files/runs/$first/work/result"

  on_host node2 rm -r /scratch/files/content
  run "$DDPSUBMIT" rerun "$first" --detach
  [ "$status" -eq 10 ]
  [[ $output == *"node2: it does not have 'train.py' as it was when this run began"*'start a new run'* ]]
}

@test "a file that is not there or lies elsewhere is named at its place: exit 3" {
  mkdir project
  cd project
  touch ../outside.py
  ln -s ../outside.py link.py
  cat >run.yaml <<'CONFIG'
launcher: ssh
run_root: runs
ssh:
  hosts: [node1]
  stage: push
  push_folder: /scratch/files
  push:
    - gone.py
    - link.py
command: ["true"]
CONFIG
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 3 ]
  [[ $output == *"'gone.py' was not found"*'--> run.yaml:8:7'*"'link.py' leads outside the current folder"*'--> run.yaml:9:7'* ]]
  [ ! -e runs ]
}

@test "lines come while the run goes on, and all of them are there at its end" {
  command_run 2 'echo "rank $RANK begins"; until [ -e /scratch/go ]; do sleep 0.05; done; seq 100000' "${pushed[@]}"
  eventually line_is_there 1 'rank 1 begins'
  is_in_state running
  on_host node1 touch /scratch/go
  on_host node2 touch /scratch/go
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 1 --stdout | tail -n +2 | cksum)" = "$(seq 100000 | cksum)" ]
  on_host node1 rm /scratch/go
  on_host node2 rm /scratch/go
}

@test "the streams of a rank on another host come in the order in which it has printed them" {
  command_run 2 'for turn in 1 2; do echo "err $turn" >&2; sleep 0.5; echo "out $turn"; sleep 0.5; done' "${pushed[@]}"
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 1)" = $'[err] err 1\nout 1\n[err] err 2\nout 2' ]
}

both_hosts_answer() { "$DDPSUBMIT" stack "$run_id" --json | jq -e '.ranks | map(.host) == ["node1", "node2"]'; }

@test "a request for stacks travels to the host of head, and the answer back" {
  command_run 2 'exec sleep 1000' "${pushed[@]}"
  eventually is_in_state running
  eventually both_hosts_answer
  "$DDPSUBMIT" cancel "$run_id"
}

@test "secrets and environment reach the ranks and the command of notify; the first failure is named" {
  export TOKEN_OF_TEST=s3cret-value
  command_run 2 'echo "$SET $TOKEN_OF_TEST"; pwd; [ "$RANK" = 0 ] || { echo "no data" >&2; exit 3; }; sleep 1000' "${pushed[@]}" \
    'environment.set.SET=set here' 'environment.secrets=[TOKEN_OF_TEST]' \
    'notify.command=[sh, -c, "echo \"$SET $TOKEN_OF_TEST\" >told"]'
  [ ! -e "$run_folder/secrets.json" ] # each host has its own
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [[ $output == *'rank 1 on node2'*'exit code 3'* && $output == *'no data'* ]]
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 1 --stdout | paste -sd ,)" = "set here s3cret-value,$(run_dir_on_hosts)" ]
  on_host node2 test ! -e "$(run_dir_on_hosts)/secrets.json"
  eventually on_host node1 grep -qx 'set here s3cret-value' "$(run_dir_on_hosts)/told"
  eventually nothing_lives
}

# Killed at its first fsync: the intent is on record, and no host has been asked for anything.
kill_at_intent() {
  printf '#!/bin/sh\nexec strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:signal=KILL:when=1 %q "$@"\n' "$1" >killed
  chmod +x killed
  shift
  DDPSUBMIT=$PWD/killed command_run "$@"
}

@test "a submission that was killed keeps no secrets on the submit host when it is found to have started nothing" {
  export TOKEN_OF_TEST=s3cret-value
  run kill_at_intent "$DDPSUBMIT" 2 true "${pushed[@]}" 'environment.secrets=[TOKEN_OF_TEST]'
  [ "$status" -ne 0 ]
  local folders=("$PWD"/runs/*)
  run_folder=${folders[0]}
  [ -e "$run_folder/secrets.json" ]
  jq -c '.time = "2020-01-01T00:00:00.000Z"' "$run_folder/ledger/submit.jsonl" >older
  cat older >"$run_folder/ledger/submit.jsonl"
  [ "$(state_of_run)" = failed ]
  [ ! -e "$run_folder/secrets.json" ]
}

@test "cancel from another shell" {
  command_run 2 'touch /scratch/up; sleep 1000' "${pushed[@]}"
  eventually on_host node2 test -e /scratch/up
  "$DDPSUBMIT" cancel "$run_id"
  is_in_state cancelled
  nothing_lives
}

@test "a rank that is killed starts again from the checkpoint, to the same bytes; so does rerun after a cancel" {
  train 2 2 "${pushed[@]}"
  slow_links 200mbit
  eventually has_step 0 40
  kill -9 "$(pid_of_rank 0 3)"
  eventually has_step 1 1
  [ "$(event restarting '.resumes_from >= 20')" = true ]
  "$DDPSUBMIT" cancel "$run_id"
  "$DDPSUBMIT" rerun "$run_id" --detach
  "$DDPSUBMIT" wait "$run_id"
  [ "$(outcomes)" = 'failed cancelled succeeded' ]
  on_host node1 cat "$(run_dir_on_hosts)/checkpoints/$(on_host node1 cat "$(run_dir_on_hosts)/checkpoints/LATEST")/model.safetensors" |
    cmp - "$(train_locally 4)"
}

# has_step ATTEMPT STEP: status, which is_in_state asks, has the records come here.
has_step() {
  is_in_state running && jq -es "any(.[]; .kind == \"train\" and .attempt == $1 and .step >= $2)" "$run_folder/metrics.jsonl" >/dev/null
}

all_have_stepped() { "$DDPSUBMIT" status "$run_id" --json | jq -e '.runs[0].live.summary.lowest_step > 0'; }

@test "ranks that read the checkpoints of their own hosts begin at different steps: that is a failure, and no restart" {
  cat >train.py <<'PYTHON'
import time
import ddpsubmit

saved = ddpsubmit.job().output_dir / 'step'
done = int(saved.read_text()) if saved.exists() else 0
for n in range(done + 1, 100000):
    time.sleep(0.005)
    ddpsubmit.step(n)
    stop = ddpsubmit.should_stop()
    if stop and ddpsubmit.job().rank == 0:
        saved.write_text(str(n))
    if stop:
        ddpsubmit.stop_here()
PYTHON
  command_run 2 'exec python3 train.py' "${own_files[@]}" 'ssh.push=[train.py]' "environment.set.PYTHONPATH=$SOURCE_DIR/python" \
    fault_tolerance.max_restarts=3
  eventually all_have_stepped
  "$DDPSUBMIT" cancel "$run_id"
  "$DDPSUBMIT" rerun "$run_id" --detach
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [[ $output =~ 'the ranks began at different steps: rank 0 on node1 at step '[0-9]+', rank 1 on node2 at step 1'$'\n' ]]
  [[ $output == *'Load the checkpoint on rank 0, and broadcast the model, the optimizer and the step'* ]]
  [[ $output == *'Not restarted: another attempt would fail in the same way'* ]]
  [ "$(outcomes)" = 'cancelled failed' ]
}

@test "a folder that hosts share is not one that each has for itself: exit 10" {
  run command_run 2 true ssh.stage=push "ssh.push_folder=$PWD/shared"
  [ "$status" -eq 10 ]
  grep -q "node2: its '$PWD/shared' is that of node1, too" said
}

@test "a cancel that could not reach the host is handed over when it can" {
  command_run 2 'touch /scratch/up; sleep 1000' "${pushed[@]}" ssh.connect_timeout=5s
  eventually on_host node2 test -e /scratch/up
  cut_off node1
  run "$DDPSUBMIT" cancel "$run_id"
  [ "$status" -eq 7 ]
  is_in_state unknown
  reconnect node1
  eventually is_in_state cancelled
  eventually nothing_lives
}

@test "a working tree that was copied at the submit arrives with its links, and a rerun has it again" {
  make_repository
  run_in=/scratch/files/runs
  printf '#!/bin/sh\necho built\n' >../build/app && chmod +x ../build/app
  command_run 2 './say.sh; readlink link; cat link; echo "$DDPSUBMIT_SUBMIT_DIR"; ../build/app || echo none' "${own_files[@]}" \
    environment.snapshot=true
  "$DDPSUBMIT" wait "$run_id"
  local rank
  for rank in 0 1; do
    diff <("$DDPSUBMIT" logs "$run_id" --rank "$rank" --stdout) - <<PRINTED
first
$run_in/$run_id/work/sub
../lib/text
first
$PWD
none
PRINTED
  done
  echo second >../lib/text
  "$DDPSUBMIT" rerun "$run_id" --detach
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 1 --stdout | head -n 1)" = first ]
}

ranks_run() { [ "$("$DDPSUBMIT" status "$run_id" --json | jq -r '.runs[0].state')" = running ]; }
message_is() { "$DDPSUBMIT" status "$run_id" --json | jq -r '.runs[0].message' | grep -qE "^$1"; }

@test "a run that waits for a host says for which, until when, and what one can do" {
  shorten pulse lease drain
  command_run 2 'touch "up.$RANK"; sleep 1000' "${pushed[@]}" fault_tolerance.max_restarts=1
  eventually ranks_run
  cut_off node2
  eventually message_is 'waits for node2 until [0-9:]+, then it fails; to go on without: ddpsubmit cancel, then rerun or run'
  "$DDPSUBMIT" cancel "$run_id"
}
