# The job does not see from where it was submitted: a hostile shell, an allocation, a step, a step of an array.

load ../support/eventually
load ../support/slurm_run
load ../support/second_try

setup() {
  isolate_user
  cat >run.yaml <<'CONFIG'
name: env
launcher: slurm
run_root: runs
resources: {nodes: 2, tasks_per_node: 2, time: "00:10:00"}
command: [sh, -c, 'env >rank.$RANK; [ -z "$LD_PRELOAD$BASH_ENV$SBATCH_PARTITION" ]']
CONFIG
}

# The variables of rank 1, less what every job has for itself.
environment_of_rank() {
  grep -vE '^(SLURM_(JOB_?ID|JOB_(START_TIME|END_TIME|SLUID)|.*_PORTS?|TASK_PID|JOB_GPUS)|SRUN_.*|DDPSUBMIT_(RUN_.*|OUTPUT_DIR|NONCE|HEAD|JOB_ID|.*_FD|MASTER_PORT|DEADLINE)|MASTER_PORT|TORCHELASTIC_(RUN_ID|ERROR_FILE)|OLDPWD|_)=' rank.1 |
    sort
}
# shellcheck disable=SC2016 # for sed
job_as_asked() {
  scontrol --oneliner show job "$(jq -rs 'map(select(.event == "submitted"))[0].job_id' runs/*/ledger/submit.jsonl)" |
    tr ' ' '\n' | grep -E '^(Partition|TimeLimit|NumNodes|NumCPUs|NumTasks|CPUs/Task|MinMemory|Gres|TresPerNode|Features|Requeue|QOS|Account)='
}

@test "a hostile environment gives the same job as a clean one, and a list of what was dropped" {
  "$DDPSUBMIT" run run.yaml --follow
  environment_of_rank >clean
  job_as_asked >clean.job
  rm -r runs
  echo 'echo hostile >&2; exit 1' >hostile.bash
  env SBATCH_EXCLUSIVE=user SBATCH_TIMELIMIT=1:00 SBATCH_EXPORT=NONE SBATCH_REQUEUE=1 SLURM_NTASKS=7 SLURM_PROCID=5 SLURM_JOB_ID=1 \
    SLURM_CPU_BIND=cores SLURM_MEM_PER_CPU=1 SLURM_EXPORT_ENV=NONE SRUN_CPUS_PER_TASK=9 SINFO_FORMAT=%x SQUEUE_FORMAT=%i MASTER_ADDR=192.0.2.1 \
    MASTER_PORT=1 RANK=3 WORLD_SIZE=99 LOCAL_RANK=9 CUDA_VISIBLE_DEVICES=7 BASH_ENV="$PWD/hostile.bash" ENV="$PWD/hostile.bash" \
    SHELLOPTS=noexec LD_PRELOAD=/none.so DDPSUBMIT_RANK=8 OMPI_COMM_WORLD_RANK=2 PMI_RANK=6 PMIX_RANK=6 TORCHELASTIC_RUN_ID=x \
    "$DDPSUBMIT" run run.yaml --follow 2>said
  environment_of_rank | diff clean -
  job_as_asked | diff clean.job -
  for name in BASH_ENV CUDA_VISIBLE_DEVICES LD_PRELOAD MASTER_ADDR RANK SHELLOPTS 'SBATCH_\* (4)' 'SLURM_\* ('; do
    grep "^environment variables not passed to the job: .*$name" said
  done
  jq -se '.[0].dropped | index("SBATCH_EXCLUSIVE") and index("SLURM_CPU_BIND")' runs/*/ledger/submit.jsonl
}

@test "the variables that sbatch reads are below all files; null is none, and a rerun has what its run had" {
  sed -i '/^resources:/s/, time: [^}]*//' run.yaml
  export SBATCH_PARTITION=high SBATCH_TIMELIMIT=7 SBATCH_CONSTRAINT=none
  "$DDPSUBMIT" render run.yaml slurm.constraint=null --explain >explained
  grep -q 'slurm.partition (SBATCH_PARTITION)' explained
  grep -q 'resources.time (SBATCH_TIMELIMIT)' explained
  "$DDPSUBMIT" run run.yaml slurm.constraint=null --follow 2>said
  grep -q '^environment variables not passed to the job: SBATCH_CONSTRAINT$' said
  [ "$(job_as_asked | grep -E '^(Partition|TimeLimit|Features)=' | sort | paste -sd ,)" = 'Features=(null),Partition=high,TimeLimit=00:07:00' ]
  grep -q '^ *partition: high *# SBATCH_PARTITION$' runs/*/spec.yaml
  unset SBATCH_PARTITION SBATCH_TIMELIMIT
  "$DDPSUBMIT" rerun last
  squeue --states=all --noheader --format=%P | sort -u | grep -qx high
}

@test "from inside a step whose CPUs are bound" {
  srun -N 1 -n 1 --cpu-bind=cores "$DDPSUBMIT" run run.yaml --follow
  [ "$(find . -name 'rank.*' | wc -l)" -eq 4 ]
}

@test "from inside an allocation with --mem-per-cpu, with memory of its own" {
  sbatch --wait --mem-per-cpu=100 --output=outer --wrap="'$DDPSUBMIT' run run.yaml resources.memory=500MiB --follow"
  [ "$(find . -name 'rank.*' | wc -l)" -eq 4 ]
}

@test "from inside a step of an array task: the run has a job of its own" {
  sbatch --wait --array=0-1 --output=outer.%a --wrap="srun -n 1 '$DDPSUBMIT' run run.yaml run_root=runs.\$SLURM_ARRAY_TASK_ID --follow"
  for task in 0 1; do
    job=$(cat runs.$task/*/ledger/submit.jsonl | jq -r 'select(.event == "submitted").job_id')
    [ -n "$job" ]
    scontrol show job "$job" | grep 'JobName=env'
    ! scontrol show job "$job" | grep ArrayJobId
  done
}
