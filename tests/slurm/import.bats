# A batch script and what `ddpsubmit import` makes of it give each rank the same arguments and the same variables. module, conda, torchrun
# and python are stand-ins that say how they were called.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for sed, or for the shells of the job, which call the functions, too

load ../support/eventually
load ../support/slurm_run
load ../support/second_try

setup() {
  isolate_user
  mkdir programs records
  make_stand_ins
  export PATH=$PWD/programs:$PATH RECORDS=$PWD/records
  module() { export MODULES_LOADED="${MODULES_LOADED-}[$*]"; }
  conda() { export CONDA_CALLED="${CONDA_CALLED-}[$*]"; }
  export -f module conda
}

make_stand_ins() {
  # Each rank says its arguments, and all of its variables.
  cat >programs/python3 <<'PROGRAM'
#!/bin/bash
rank=${RANK-$SLURM_PROCID}
printf '%s\n' "$@" >"$RECORDS/argv.$rank"
env -0 >"$RECORDS/env.$rank"
PROGRAM
  cat >programs/torchrun <<'PROGRAM'
#!/bin/bash
# As torchrun does: one process per rank of the node, with python3 -u.
nodes=1 ranks=1 node=${SLURM_NODEID-0}
while [[ $1 == -* ]]; do
  option=${1%%=*} option=${option//_/-} value=${1#*=}
  if [[ $1 != *=* && $option != --standalone ]]; then value=$2 && shift; fi
  case $option in
    --nnodes) nodes=$value ;;
    --nproc-per-node) ranks=$value ;;
    --node-rank) node=$value ;;
    --master-addr) MASTER_ADDR=$value ;;
  esac
  shift
done
export WORLD_SIZE=$((nodes * ranks)) LOCAL_WORLD_SIZE=$ranks MASTER_ADDR
for ((local = 0; local < ranks; local++)); do
  LOCAL_RANK=$local RANK=$((node * ranks + local)) python3 -u "$@" &
done
wait
PROGRAM
  cp programs/python3 programs/python
  echo 'export ACTIVATED=$1' >programs/activate
  chmod +x programs/*
}

# for_this_cluster NAME: the script of tests/golden/import, in the size of this cluster, which has no reservation.
for_this_cluster() {
  sed -E -e '/--reservation/d' -e 's/gpu:4/gpu:2/' -e 's/--partition=gpu/--partition=debug/' -e 's/ -p gpu / -p debug /' \
    -e 's/--cpus-per-task=10/--cpus-per-task=4/' -e 's/--cpus-per-task=8/--cpus-per-task=2/' \
    -e 's/--ntasks-per-node=4/--ntasks-per-node=2/' -e 's/(nproc.per.node=)4/\12/' \
    "$SOURCE_DIR/tests/golden/import/$1.sbatch" >"$1.sbatch"
}

# run_both NAME: first the script itself, then its YAML; their records are in by_script and by_import.
run_both() {
  sbatch --wait --output=script.out "$1.sbatch"
  mv records by_script && mkdir records
  run_import "$1"
}

run_import() {
  "$DDPSUBMIT" import "$1.sbatch" -o "$1.yaml"
  "$DDPSUBMIT" validate "$1.yaml"
  "$DDPSUBMIT" run "$1.yaml" --follow
  mv records by_import
}

# variable NAME FILE: its value there, or nothing.
variable() { grep -z "^$1=" "$2" | tr -d '\0'; }

# ranks_agree COUNT NAME...: as many ranks, with the same arguments and the same values of these variables.
ranks_agree() {
  local count=$1 rank
  shift
  for folder in by_script by_import; do [ "$(find $folder -name 'argv.*' | wc -l)" -eq "$count" ]; done
  for ((rank = 0; rank < count; rank++)); do
    diff "by_script/argv.$rank" "by_import/argv.$rank"
    for name in "$@"; do diff <(variable "$name" "by_script/env.$rank") <(variable "$name" "by_import/env.$rank"); done
    for name in "$@"; do variable "$name" "by_import/env.$rank" | grep .; done
  done
}

# All ranks meet at the node of rank 0.
ranks_meet() {
  local rank
  for rank in by_import/env.*; do
    diff <(variable MASTER_ADDR by_import/env.0) <(variable MASTER_ADDR "$rank")
    diff <(variable MASTER_PORT by_import/env.0) <(variable MASTER_PORT "$rank")
  done
  variable MASTER_ADDR by_import/env.0 | grep -E '=(node1|10\.77\.0\.1)$'
}

@test "one torchrun per node: head node, modules, conda, variables of the script" {
  for_this_cluster guide_torchrun
  run_both guide_torchrun
  ranks_agree 4 RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE LOGLEVEL OMP_NUM_THREADS MODULES_LOADED CONDA_CALLED
  ranks_meet
  [ "$(variable MODULES_LOADED by_import/env.3)" = 'MODULES_LOADED=[purge][load miniconda]' ]
}

@test "one task per GPU: modules, conda, source activate" {
  for_this_cluster guide_tasks
  run_both guide_tasks
  ranks_agree 4 MODULES_LOADED CONDA_CALLED ACTIVATED SLURM_PROCID SLURM_LOCALID
  ranks_meet
}

@test "a line that srun starts by itself" {
  for_this_cluster guide_srun_line
  bash guide_srun_line.sbatch
  mv records by_script && mkdir records
  run_import guide_srun_line
  ranks_agree 2 RANK LOCAL_RANK WORLD_SIZE
}

@test "the torchrun commands of each node" {
  for_this_cluster guide_each_node
  # Each by hand on its node.
  sed -n 2p guide_each_node.sbatch >first
  sed -n 4p guide_each_node.sbatch >second
  srun -N 1 -n 1 -w node1 bash first
  srun -N 1 -n 1 -w node2 bash second
  mv records by_script && mkdir records
  run_import guide_each_node
  ranks_agree 4 RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE
  ranks_meet
}

@test "an array over values: each point of the sweep has the arguments of its task" {
  cat >array.sbatch <<'SCRIPT'
#!/bin/bash
#SBATCH --ntasks=1
#SBATCH --array=0-2
#SBATCH --output=array.%a
RATES=(0.1 0.03 "1e-3")
RATE=${RATES[$SLURM_ARRAY_TASK_ID]}
export TAG=rate_$RATE
srun env RANK=$SLURM_ARRAY_TASK_ID python3 train.py --lr $RATE --seed=$((SLURM_ARRAY_TASK_ID + 7))
SCRIPT
  sbatch --wait array.sbatch
  mv records by_script && mkdir records
  run_import array
  ranks_agree 3 TAG
}

@test "values that the job finds out, blanks, and an empty argument" {
  # A login shell begins with the PATH of /etc/profile.
  echo "export PATH=$PWD/programs:\$PATH" >.bash_profile
  cat >words.sbatch <<'SCRIPT'
#!/bin/bash -l
#SBATCH -N 1 -n 2
#SBATCH -o words.out
MODEL="a model"
FLAGS="--fast --level 3"
OUT=$(echo "found out")
mkdir -p inner
cd inner || exit 1
export WHERE=$PWD
cd ..
srun -l python3 train.py --model "$MODEL" $FLAGS --out "$OUT" --home="$HOME/data" '' 'it'\''s $HOME'
SCRIPT
  run_both words
  ranks_agree 2 WHERE
}
