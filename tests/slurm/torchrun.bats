# A command line of torchrun as a Slurm job.

load ../support/eventually
load ../support/slurm_run
load ../support/second_try

setup() {
  isolate_user
  unset OMP_NUM_THREADS
  cp "$SOURCE_DIR/tests/support/show_start.py" .
}

@test "one line starts the ranks of all nodes" {
  "$DDPSUBMIT" torchrun --launcher slurm --nnodes=1:2 --nproc-per-node=2 --rdzv-backend=c10d --rdzv-endpoint=node1:29500 \
    --set resources.time=10m --follow show_start.py out --lr 0.1 2>said
  grep -q "^--nnodes=1:2: with launcher 'slurm' a run always has all its nodes; this one has 2$" said
  grep -q '^--rdzv-backend and --rdzv-endpoint have no effect' said
  grep -q '^no GPUs are requested; for one per rank: --set resources.gpus_per_node=2$' said
  for rank in 0 1 2 3; do
    jq -r '[.environment | .RANK, .LOCAL_RANK, .GROUP_RANK, .GROUP_WORLD_SIZE, .WORLD_SIZE, .ROLE_RANK, .OMP_NUM_THREADS] | join(" ")' out/start.$rank.json
  done >places
  diff places - <<'END'
0 0 0 2 4 0 1
1 1 0 2 4 1 1
2 0 1 2 4 2 1
3 1 1 2 4 3 1
END
  [ "$(jq -s 'map(.environment.MASTER_ADDR + " " + .environment.MASTER_PORT) | unique | length' out/*.json)" -eq 1 ]
  [ "$(jq -r '.arguments | join(" ")' out/start.3.json)" = '--lr 0.1' ]
  [ "$(jq -r .environment.TORCHELASTIC_RUN_ID out/*.json | sort -u)" = none ]
}

@test "a command gets torchrun's variables, less the one that says that torchrun has started it" {
  cat >run.yaml <<'END'
name: job
run_root: runs
launcher: slurm
resources: {nodes: 2, tasks_per_node: 2, time: 10m}
command: [python3, show_start.py, out]
END
  "$DDPSUBMIT" run run.yaml --follow
  jq -r '.environment | "\(.RANK) \(.TORCHELASTIC_RUN_ID) \(.TORCHELASTIC_RESTART_COUNT) \(.TORCHELASTIC_ERROR_FILE | split("/")[-1])"' \
    out/*.json | diff - <(for rank in 0 1 2 3; do echo "$rank null 0 rank-$rank.error.json"; done)
}

@test "the number of ranks of a node has to be written" {
  run "$DDPSUBMIT" torchrun --launcher slurm --nproc-per-node=gpu show_start.py
  [ "$status" -eq 2 ]
  [[ $output == *"with launcher 'slurm' it is not known here what the nodes have"*'--set resources.gpus_per_node=N'* ]]
}

@test "--dry-run prints a file for Slurm" {
  "$DDPSUBMIT" torchrun --launcher slurm --nnodes=2 --nproc-per-node=2 --set resources.time=10m --dry-run show_start.py out >job.yaml 2>said
  "$DDPSUBMIT" validate job.yaml
  "$DDPSUBMIT" run job.yaml --follow
  [ "$(jq -r .environment.WORLD_SIZE out/start.3.json)" = 4 ]
}
