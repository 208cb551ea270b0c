# Command lines of torchrun, on this machine.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run

setup() {
  isolate_user
  unset OMP_NUM_THREADS
  cp "$SOURCE_DIR/tests/support/show_start.py" .
}

teardown() { kill_processes_of_run; }

# start FOLDER RANK FILTER: what a rank wrote.
start() { jq -r "$3" "$1/start.$2.json"; }

@test "ranks get the arguments and the variables that torchrun gives them" {
  "$DDPSUBMIT" torchrun --standalone --nproc_per_node=3 --max-restarts 2 show_start.py out --json --help 'a b' -- --nnodes=9
  use_only_run
  for rank in 0 1 2; do
    [ "$(start out $rank '.arguments | join("|")')" = '--json|--help|a b|--|--nnodes=9' ]
    [ "$(start out $rank '.words | join(" ")')" = '-u show_start.py out --json --help a b -- --nnodes=9' ]
    [ "$(start out $rank .unbuffered)" = true ]
    [ "$(start out $rank '.environment | [.RANK, .LOCAL_RANK, .ROLE_RANK] | join(" ")')" = "$rank $rank $rank" ]
    [ "$(start out $rank '.environment | [.WORLD_SIZE, .LOCAL_WORLD_SIZE, .ROLE_WORLD_SIZE] | join(" ")')" = '3 3 3' ]
    [ "$(start out $rank '.environment | [.GROUP_RANK, .GROUP_WORLD_SIZE, .ROLE_NAME] | join(" ")')" = '0 1 default' ]
    [ "$(start out $rank '.environment | [.OMP_NUM_THREADS, .TORCH_NCCL_ASYNC_ERROR_HANDLING] | join(" ")')" = '1 1' ]
    [ "$(start out $rank '.environment | [.TORCHELASTIC_RESTART_COUNT, .TORCHELASTIC_MAX_RESTARTS] | join(" ")')" = '0 2' ]
    [ "$(start out $rank .environment.TORCHELASTIC_RUN_ID)" = "${run_folder##*/}" ]
    [ "$(start out $rank .environment.TORCHELASTIC_USE_AGENT_STORE)" = False ]
    [ "$(start out $rank .environment.TORCHELASTIC_ERROR_FILE)" = "$run_folder/logs/attempt-0/rank-$rank.error.json" ]
    [ "$(start out $rank '.environment | .MASTER_ADDR != null and .MASTER_PORT != null')" = true ]
  done
}

@test "--dry-run prints a file that is valid, and does the same" {
  line=(--nproc-per-node 2 --role worker --max-restarts=1 --name same --set environment.set.LEVEL=3 --set resources.time=10m
    show_start.py out 'a "b"' '#c' '' '{args.x}' 1e3 'é')
  "$DDPSUBMIT" torchrun --dry-run "${line[@]}" >same.yaml
  [ ! -e runs ]
  "$DDPSUBMIT" validate same.yaml
  "$DDPSUBMIT" run same.yaml
  mv out of_file
  "$DDPSUBMIT" torchrun "${line[@]}"
  for rank in 0 1; do
    differing='del(.environment | .MASTER_PORT, .TORCHELASTIC_RUN_ID, .TORCHELASTIC_ERROR_FILE)'
    [ "$(start of_file $rank "$differing")" = "$(start out $rank "$differing")" ]
  done
  [ "$(start out 1 '.arguments | join("|")')" = 'a "b"|#c||{args.x}|1e3|é' ]
  [ "$(jq -s 'map(del(.run_id, .run_dir, .spec_checksum)) | .[0] == .[1]' runs/*/plan.json)" = true ]
  [ "$("$DDPSUBMIT" torchrun --json --dry-run show_start.py | jq -r .schema)" = ddpsubmit.torchrun.v1 ]
}

@test "a rank that fails is restarted as often as --max-restarts says, and the exit code is that of run" {
  cat >fail.py <<'PY'
import os, sys
count = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
print("attempt", count, "of", os.environ["TORCHELASTIC_MAX_RESTARTS"])
sys.exit(count < int(sys.argv[1]))
PY
  [ "$("$DDPSUBMIT" torchrun --max_restarts=2 fail.py 1 2>said | sort)" = $'attempt 0 of 2\nattempt 1 of 2' ]
  run "$DDPSUBMIT" torchrun fail.py 1
  [ "$status" -eq 1 ]
  [[ $output == *'failed: rank 0 '* ]]
}

@test "modules, programs that are not Python, and another Python" {
  mkdir package
  touch package/__init__.py
  echo 'import sys; print(__name__, sys.argv[1:])' >package/train.py
  [ "$("$DDPSUBMIT" torchrun -m package.train x 2>said)" = "__main__ ['x']" ]
  printf '#!/bin/sh\necho "rank $RANK: $*"\n' >train.sh
  chmod +x train.sh
  [ "$("$DDPSUBMIT" torchrun --no-python --nproc-per-node=2 ./train.sh a b 2>said | sort)" = $'[r0] rank 0: a b\n[r1] rank 1: a b' ]
  ln -s train.sh python
  touch x.py
  [ "$(PYTHON_EXEC=$PWD/python "$DDPSUBMIT" torchrun x.py 2>said)" = 'rank 0: -u x.py' ]
}

@test "variables PET_* stand for options, and OMP_NUM_THREADS is kept" {
  PET_NPROC_PER_NODE=2 OMP_NUM_THREADS=1 "$DDPSUBMIT" torchrun show_start.py out
  [ "$(start out 1 '.environment | [.WORLD_SIZE, .OMP_NUM_THREADS] | join(" ")')" = '2 1' ]
}

@test "the output of some local ranks only, with their marks" {
  echo 'import os; print("from", os.environ["RANK"])' >say.py
  [ "$("$DDPSUBMIT" torchrun --nproc-per-node=3 --local-ranks-filter=1 say.py 2>said)" = '[r1] from 1' ]
  [ "$("$DDPSUBMIT" logs last 2>/dev/null | wc -l)" -eq 3 ]
}

@test "what has no effect is told, and what cannot be meant here is refused" {
  "$DDPSUBMIT" torchrun --dry-run --rdzv_backend=c10d --rdzv-endpoint=localhost:0 --tee 3 show_start.py >yaml 2>said
  grep -q '^--rdzv_backend and --rdzv-endpoint have no effect: ddpsubmit finds the address of rank 0' said
  grep -q '^--tee has no effect: the output of each rank is in the run folder' said
  run "$DDPSUBMIT" torchrun --nnodes 2 --nproc=x --node-rank=1 show_start.py
  [ "$status" -eq 2 ]
  [[ $output == *"--nnodes is 2, but launcher 'local' uses one node"*"add --launcher slurm or --launcher ssh"* ]]
  [[ $output == *"--nproc: 'x' is not a number of ranks"* ]]
  [[ $output == *'--node-rank=1: this line is for another node'* ]]
  run "$DDPSUBMIT" torchrun --standalone
  [ "$status" -eq 2 ]
  [[ $output == *'the line has no script'* ]]
}

@test "values that the configuration refuses are shown as they were written" {
  run "$DDPSUBMIT" torchrun --max-restarts=5000 --set slurm.partitions=gpu show_start.py
  [ "$status" -eq 3 ]
  [[ $output == *'--> command line'*'--max-restarts=5000'* ]]
  [[ $output == *'slurm.partitions=gpu'*"did you mean 'partition'"* ]]
}

@test "a word that no configuration can hold is refused" {
  run "$DDPSUBMIT" torchrun show_start.py $'a\x1bb'
  [ "$status" -ne 0 ]
  [[ $output == *'control character'* ]]
}
