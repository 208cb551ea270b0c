# Faults of one rank while all of them write or read the checkpoint of a sharded training. What each single system call of a
# write can do is in the unit test of the saver.

load ../support/run_records
load ranks

setup() {
  [ -x "${DDPSUBMIT:-}" ] || skip 'ddpsubmit is not built'
  strace -f -o /dev/null true 2>/dev/null || skip "strace cannot trace here"
  isolate_user
  cd "$BATS_TEST_TMPDIR" || exit 1
}
teardown() { leave_no_rank; }

# config STEPS [CHECKPOINT]: a checkpoint after each step. CHECKPOINT: more keys of that section.
config() { blocks '  strategy: fsdp' "$1" "s|every_steps: 1000|every_steps: 1, keep: 2${2:+, $2}|"; }

# train DIR [PROGRAM]: prints how the two ranks ended.
train() { run_ranks 2 "$1" "${2:-$BLOCKS_TRAINER}" --config config.yaml; }

# traced RANK OPTION-OF-STRACE...: the trainer as ./trainer, this rank of it under strace.
traced() {
  local rank=$1
  shift
  cat >trainer <<BASH
#!/bin/bash
[ "\$DDPSUBMIT_RANK" = $rank ] || exec "\$BLOCKS_TRAINER" "\$@"
exec strace -f -qq -o calls $(printf '%q ' "$@") "\$BLOCKS_TRAINER" "\$@"
BASH
  chmod +x trainer
}

# checkpoint_of DIR STEP, shard_of RANK: where rank RANK has its rows of the parameters.
checkpoint_of() { echo "$PWD/$1/checkpoints/step-0000000$2-a0"; }
shard_of() { printf 'shard-%05d-model-00001-of-00001.safetensors' $(($1 + 1)); }

# whole_and_half: a training of six steps, and one that has done three of them.
whole_and_half() {
  config 6
  [ "$(train whole)" = "0 0" ]
  config 3
  [ "$(train half)" = "0 0" ]
  config 6
}

# ends_as_whole DIR: does it go on to the bytes of the undisturbed one, with whole checkpoints and nothing besides?
ends_as_whole() {
  [ "$(train "$1")" = "0 0" ]
  same_shards whole "$1"
  "$DDPSUBMIT" checkpoint verify "$1"/checkpoints/step-*-a0
  [ -z "$(find "$1" -name '*.incomplete' -o -name '.seen-by-all-*')" ]
}

# pid_of_rank RANK: in run, where rank 1 is under strace.
pid_of_rank() {
  if [ "$1" = 1 ]; then pgrep -P "$(pid_of run 1)"; else pid_of run "$1"; fi
}

# interrupted RANK ENDS: rank RANK is killed while rank 1 has not done its part of step 5.
interrupted() {
  local incomplete
  rm -rf run
  cp -r half run
  incomplete=$(checkpoint_of run 5).incomplete
  traced 1 -P "$incomplete/$(shard_of 1)" -e trace=fsync -e inject=fsync:signal=STOP:when=1
  start_ranks 2 run ./trainer --config config.yaml
  eventually grep -q 'stopped by SIGSTOP' calls
  kill -KILL "$(pid_of_rank "$1")"
  [ "$1" = 1 ] || kill -CONT "$(pid_of_rank 1)"
  ended run "$2"
  [ "$(cat run/checkpoints/LATEST)" = step-00000004-a0 ]
  [ ! -e "$(checkpoint_of run 5)" ]
}

@test "rank 0 is killed while another rank writes its part: the checkpoint before is resumed" {
  whole_and_half
  interrupted 0 "-9 76"
  [ -e "$(checkpoint_of run 5).incomplete/$(shard_of 1)" ] # nobody was left to take it away
  touch run/.seen-by-all-1                                 # of an earlier start that was killed
  ends_as_whole run
  grep '^resumed from step 4$' run/rank-0.out
}

@test "a rank is killed while it writes its part: rank 0 commits nothing, and the checkpoint before is resumed" {
  whole_and_half
  interrupted 1 "76 -9"
  grep '^WARNING: the checkpoint of step 5 was not written: the run has failed before rank 1 had done its part' run/rank-0.out
  [ ! -e "$(checkpoint_of run 5).incomplete" ]
  ends_as_whole run
  grep '^resumed from step 4$' run/rank-0.out
}

# unreadable DIR FAULT: the tensors of step 3 there, for rank 1 alone. FAULT is for -e inject.
unreadable() {
  local file paths=()
  for file in "$(checkpoint_of "$1" 3)"/*.safetensors; do paths+=(-P "$file"); done
  traced 1 "${paths[@]}" -e "trace=${2%%:*}" -e "inject=$2"
}

@test "a checkpoint that one rank cannot read is passed over by all, and the rank is named" {
  local fault
  whole_and_half
  for fault in openat:error=EACCES read,pread64:error=EIO; do
    rm -rf run
    cp -r half run
    unreadable run "$fault"
    [ "$(train run ./trainer)" = "0 0" ]
    grep -E 'step-00000003-a0 cannot be used: rank 1: .*safetensors.*(Permission denied|Input/output error)' run/rank-0.out
    grep '^resumed from step 2$' run/rank-0.out
    ends_as_whole run
  done
}

@test "without a checkpoint that every rank can read a run ends, names the rank, and can be run again" {
  whole_and_half
  rm -r half/checkpoints/step-00000002-a0
  cp -r half run
  unreadable run read,pread64:error=EIO
  [ "$(train run ./trainer)" = "9 76" ] # 9: no valid checkpoint; 3 would be for a rank that does not see the folder
  grep -E 'step-00000003-a0 cannot be used: rank 1: .*safetensors.*Input/output error' run/rank-0.err
  ends_as_whole run
  grep '^resumed from step 3$' run/rank-0.out
  # of another run
  config 6 "path: $(checkpoint_of half 3)"
  unreadable half read,pread64:error=EIO
  [ "$(train new ./trainer)" = "9 76" ]
  grep -E "step-00000003-a0' cannot be used: rank 1: .*safetensors.*Input/output error" new/rank-0.err
}
