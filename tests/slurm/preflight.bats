# What could never run is refused before anything is queued, with the limits that it breaks. The rig has a partition `short`: ten
# minutes, two nodes a job. It keeps accounts, and takes eight jobs at most.

load ../support/eventually
load ../support/slurm_run
load ../support/second_try

setup() {
  isolate_user
  printf '%s\n' 'name: preflight' 'launcher: slurm' 'run_root: runs' 'command: ["true"]' >run.yaml
}

nothing_is_left() { [[ ! -e runs && -z $(squeue -h -t PENDING,RUNNING) ]]; }

@test "every limit that a request breaks is named at once, at its place" {
  printf '%s\n' 'resources: {nodes: 3, tasks_per_node: 5, gpus_per_node: 3, memory: 5000MiB, time: 20m}' 'slurm: {partition: short}' >>run.yaml
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 10 ]
  [[ $output == *"resources.time is 20m: partition 'short' ends jobs after 10m"* ]]
  [[ $output == *"resources.nodes is 3: partition 'short' allows at most 2 per job"* ]]
  [[ $output == *"resources.cpus_per_task asks for 5 x 1 CPUs per node: partition 'short' has at most 4 CPUs per node"* ]]
  [[ $output == *"resources.memory is 5000 MiB per node: partition 'short' has at most 4000 MiB per node"* ]]
  [[ $output == *"resources.gpus_per_node is 3: partition 'short' has at most 2 GPUs per node"* ]]
  [[ $output == *'run.yaml:5:'* ]]
  nothing_is_left
}

@test "the limits of the default partition are told to a run that names none" {
  scontrol update PartitionName=debug MaxTime=10
  run "$DDPSUBMIT" run run.yaml resources.time=20m
  scontrol update PartitionName=debug MaxTime=INFINITE MaxNodes=1
  [ "$status" -eq 0 ]
  [[ $output == *"warning: resources.time is 20m: partition 'debug' ends jobs after 10m; Slurm uses it by default: "* ]]
  "$DDPSUBMIT" cancel last
  run "$DDPSUBMIT" run run.yaml resources.nodes=2
  scontrol update PartitionName=debug MaxNodes=UNLIMITED
  [ "$status" -eq 10 ]
  [[ $output == *"resources.nodes is 2: partition 'debug' allows at most 1 per job"* ]]
}

@test "a partition and a type of GPU that are not there" {
  run "$DDPSUBMIT" run run.yaml slurm.partition=shrot
  [ "$status" -eq 10 ]
  [[ $output == *"did you mean 'short'?"* ]]
  run "$DDPSUBMIT" run run.yaml slurm.gres=gpu:a100:1
  [ "$status" -eq 10 ]
  [[ $output == *"partition 'debug' has no GPU of type 'a100'"* ]]
  nothing_is_left
}

@test "what only the controller knows is said in its words" {
  run "$DDPSUBMIT" run run.yaml slurm.reservation=none
  [ "$status" -eq 10 ]
  [[ $output == *'Slurm would not run this: '*'reservation is invalid'*'scontrol show reservation'* ]]
  nothing_is_left
}

@test "a sweep that is larger than the queue, or than what the account may queue" {
  printf '%s\n' 'sweep: {environment.set.A: [1, 2, 3, 4], environment.set.B: [1, 2, 3]}' >>run.yaml
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 10 ]
  [[ $output == *'the sweep has 12 points: the cluster takes at most 8 jobs in all (MaxJobCount)'*'run.yaml:5:'* ]]
  sed -i '$d' run.yaml
  sacctmgr --immediate --quiet modify user root set MaxSubmitJobs=3
  eventually eval '! sbatch --test-only --array=0-3 --wrap=true'
  run "$DDPSUBMIT" run run.yaml 'sweep.environment.set.A=[1, 2, 3, 4]'
  sacctmgr --immediate --quiet modify user root set MaxSubmitJobs=-1
  [ "$status" -eq 10 ]
  [[ $output == *'AssocMaxSubmitJobLimit'*'each point is one'* ]]
  nothing_is_left
}

@test "a rerun of more points than the queue takes is refused, with what to do" {
  mkdir bin
  printf '#!/bin/sh\nkill -9 "%sPPID"\n' '$' >bin/sbatch
  chmod +x bin/sbatch
  PATH=$PWD/bin:$PATH run "$DDPSUBMIT" run run.yaml --no-preflight 'sweep.environment.set.A=[1, 2, 3, 4, 5, 6, 7, 8, 9]'
  [ "$status" -eq 137 ]
  eventually flock --nonblock "$(echo runs/*/ledger/submit.jsonl)" true # until that sbatch is gone, too
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 10 ]
  [[ $output == *'9 points of the sweep are to run: the cluster takes at most 8 jobs in all (MaxJobCount)'*'ddpsubmit rerun SWEEP/K'* ]]
  rm -r runs
}

@test "what a default QOS may lift is left to Slurm" {
  sacctmgr --immediate --quiet add qos lifting flags=PartitionTimeLimit,PartitionMaxNodes
  sacctmgr --immediate --quiet modify user root set qos=normal,lifting defaultqos=lifting
  "$DDPSUBMIT" run run.yaml slurm.partition=short resources.nodes=3 resources.time=20m 2>said
  "$DDPSUBMIT" wait last
  "$DDPSUBMIT" doctor run.yaml slurm.partition=short resources.nodes=3 resources.time=20m --json >answer
  "$DDPSUBMIT" doctor run.yaml slurm.partition=short resources.gpus_per_node=3 --json >refused && held=0 || held=$?
  sacctmgr --immediate --quiet modify user root set defaultqos=normal
  sacctmgr --immediate --quiet delete qos lifting
  grep "^warning: resources.time is 20m: partition 'short' ends jobs after 10m; the run waits, unless its QOS lifts" said
  [ "$(jq -r '.checks[] | select(.check == "partitions") | "\(.verdict): \(.found)"' answer)" = \
    "warning: resources.time is 20m: partition 'short' ends jobs after 10m" ]
  [ "$(jq '.nodes | length' answer)" = 3 ]
  [ "$held" -eq 10 ]
  jq -e '.checks[] | select(.check == "partitions" and .verdict == "error")' refused
}

slurm_takes() { sbatch --test-only --wrap=true "$@"; }

@test "several QOS: Slurm chooses among them, where it can" {
  sacctmgr --immediate --quiet delete qos slow fast || true # a first try may have left them
  sacctmgr --immediate --quiet add qos slow priority=1
  sacctmgr --immediate --quiet add qos fast priority=2
  sacctmgr --immediate --quiet modify user root set qos=normal,slow,fast
  eventually slurm_takes --qos=fast
  run "$DDPSUBMIT" run run.yaml slurm.qos=slow,fast
  if slurm_is_at_least 24.11; then
    [ "$status" -eq 0 ]
    "$DDPSUBMIT" wait last
    scontrol show job "$("$DDPSUBMIT" status last --json | jq -r '.runs[0].job_id')" | grep -w QOS=fast
  else
    [ "$status" -eq 10 ]
    [[ $output == *'Invalid qos specification'*'a list of several needs Slurm 24.11 or later'* ]]
  fi
  sacctmgr --immediate --quiet modify user root set qos=normal
  sacctmgr --immediate --quiet delete qos slow fast
}

@test "an option that sbatch is too old for is told with its key" {
  run "$DDPSUBMIT" run run.yaml slurm.segment=1
  if slurm_is_at_least 24.11; then
    [ "$status" -eq 0 ]
    "$DDPSUBMIT" wait last
  else
    [ "$status" -eq 10 ]
    [[ $output == *"--> command line"*"slurm.segment=1"*"take out slurm.segment: "*"which needs Slurm 24.05 or later"* ]]
  fi
}

@test "without the preflight Slurm takes what it will never start" {
  "$DDPSUBMIT" run run.yaml --no-preflight slurm.partition=short resources.time=20m
  waits_for_ever() { [[ $(squeue -h -o %r) == PartitionTimeLimit ]]; }
  eventually waits_for_ever
  "$DDPSUBMIT" cancel last
}

@test "a run_root that nobody can write to, here and on Slurm" {
  for launcher in local slurm; do
    run "$DDPSUBMIT" run run.yaml launcher=$launcher run_root=/proc/runs
    [ "$status" -eq 10 ]
    [[ $output == *"run_root is '/proc/runs', but nothing can be written to '/proc'"* ]]
  done
}

@test "a file system of this host alone is a warning, until a node has written there" {
  "$DDPSUBMIT" run run.yaml run_root=/dev/shm/ddpsubmit-test.$$ 2>said
  "$DDPSUBMIT" wait last
  grep '^warning: run_root is on a local disk (tmpfs)' said
  "$DDPSUBMIT" run run.yaml run_root=/dev/shm/ddpsubmit-test.$$ 2>said
  "$DDPSUBMIT" wait last
  rm -r /dev/shm/ddpsubmit-test.$$
  [ "$(grep -c '^warning: run_root' said)" = 0 ]
}

@test "a trainer whose libraries are not found is refused with their names" {
  LC_ALL=C sed 's/libtorch_cpu\.so/libtorch_gon.so/g' "$DDPTRAIN" >broken # of the same length
  chmod +x broken
  for launcher in local slurm; do
    run "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=$launcher run_root=runs train.program=./broken
    [ "$status" -eq 10 ]
    [[ $output == *"broken' would not start: it does not find libtorch_gon.so"* ]]
  done
  run "$DDPSUBMIT" validate "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=local train.program=./broken
  [ "$status" -eq 10 ]
  [[ $output == *"broken' would not start: it does not find libtorch_gon.so"* ]]
  nothing_is_left
}

@test "nodes that are drained are a warning, and the run waits for them" {
  nodes=$(sinfo -h -p debug -o %D | awk '{n += $1} END {print n}')
  node=$(sinfo -h -p debug -N -o %N | sort | tail -n 1)
  scontrol update NodeName="$node" State=DRAIN Reason=test
  run "$DDPSUBMIT" run run.yaml slurm.partition=debug resources.nodes="$nodes"
  more=0
  "$DDPSUBMIT" run run.yaml slurm.partition=debug resources.nodes=99 2>refused || more=$?
  scontrol update NodeName="$node" State=RESUME
  [ "$status" -eq 0 ]
  [[ $output == *'the run will wait: nodes are down, drained or not yet registered'* ]]
  [ "$more" -eq 10 ]
  grep "resources.nodes is 99: partition 'debug' has $nodes nodes" refused
  "$DDPSUBMIT" wait last
}
