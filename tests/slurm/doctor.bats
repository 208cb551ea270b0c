# doctor on a real Slurm of three nodes, whole and broken.

load ../support/eventually
load ../support/slurm_run
load ../support/slurm_faults
load ../support/second_try

setup() {
  isolate_user
  eventually nodes_are_idle
}
teardown() { scancel --name=wrap; }
# All of them answer: one that was resumed takes a moment.
nodes_are_idle() { [[ $(sinfo -h -N -o %T | sort -u) == idle ]]; }

# examine [KEY=VALUE...]: three nodes with two ranks each; the answer goes into the file `answer`, the exit code into status.
examine() {
  "$DDPSUBMIT" doctor "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=slurm resources.nodes=3 resources.tasks_per_node=2 \
    "run_root=$BATS_TEST_TMPDIR/runs" --json "$@" >answer 2>said && status=0 || status=$?
}

verdict() { jq -r --arg check "$1" '[.checks[] | select(.check == $check) | .verdict] | join(" ")' answer; }
found() { jq -r --arg check "$1" '.checks[] | select(.check == $check) | .found' answer; }
answer() { jq -r "$1" answer; }

@test "three healthy nodes: what each is like, a time for each pair, and nothing is left" {
  examine
  [ "$status" -eq 0 ]
  [ "$(answer .healthy)" = true ]
  [ "$(verdict controller) $(verdict munge) $(verdict partitions) $(verdict probe)" = 'ok ok ok ok' ]
  [ "$(verdict node)" = 'ok ok ok' ]
  [ "$(answer '[.nodes[] | "\(.host) \(.network.interface) \(.network.address)"] | join(", ")')" = \
    'node1 eth0 10.77.0.1, node2 eth0 10.77.0.2, node3 eth0 10.77.0.3' ]
  [ "$(answer '[.pairs[] | select(.small_seconds > 0 and .large_seconds > 0) | .nodes] | tostring')" = '[[0,1],[0,2],[1,2]]' ]
  [[ $(found 'process group') == '6 ranks joined over Gloo '* ]]
  [ "$(answer '[.nodes[].network | select(.clock_uncertainty_seconds > 0)] | length')" = 2 ]
  grep -q '^the probe is Slurm job ' said
  [ ! -e runs ]
  [ "$("$DDPSUBMIT" list --json | jq '.runs | length')" = 0 ]
  eventually queue_is_empty
}
queue_is_empty() { [[ -z $(squeue -h) ]]; }

@test "two nodes that do not reach each other: the pair is named" {
  # What node2 sends to node3 goes to a machine that is not there.
  ip -netns node2 neigh replace 10.77.0.3 lladdr 02:00:00:00:00:99 dev eth0 nud permanent
  examine
  ip -netns node2 neigh del 10.77.0.3 dev eth0
  [ "$status" -eq 10 ]
  [ "$(answer '[.pairs[] | select(.problem) | .nodes] | tostring')" = '[[1,2]]' ]
  [ "$(answer '.bad_hosts | tostring') $(answer .exclude)" = '["node2","node3"] slurm.exclude=node[2-3]' ]
  [ "$(verdict 'process group')" = skipped ]
  [ -d "runs/$(answer .kept_run)" ]
}

@test "a node with a slow link is named" {
  tc -netns node2 qdisc add dev eth0 root tbf rate 50mbit burst 32kb latency 500ms
  examine
  tc -netns node2 qdisc del dev eth0 root
  [ "$status" -eq 0 ]
  [ "$(verdict all-reduce)" = 'ok warning' ]
  [ "$(answer '.bad_hosts | tostring') $(answer .exclude)" = '["node2"] slurm.exclude=node2' ]
}

@test "LibTorch is not there: the libraries are named" {
  libraries=$(ldd "$DDPTRAIN" | sed -n 's|.*=> \(.*\)/libtorch_cpu.so .*|\1|p')
  mount -t tmpfs hidden "$libraries"
  examine
  umount "$libraries"
  [ "$status" -eq 10 ]
  [[ $(found ddptrain) == 'missing libraries: '*libtorch_cpu.so* ]]
  [ "$(verdict nodes)" = skipped ]
}

@test "munged has died" {
  kill "$(cat /run/rig/munge/pid)"
  eventually munge_is_silent
  examine
  restart_munge
  [ "$status" -eq 10 ]
  [ "$(verdict munge) $(verdict nodes)" = 'error skipped' ]
}
munge_is_silent() { ! munge -n >/dev/null 2>&1; }
restart_munge() {
  munged --key-file=/run/rig/munge/key --pid-file=/run/rig/munge/pid --seed-file=/run/rig/munge/seed --log-file=/run/rig/log/munged.log 3>&-
}

@test "the controller is down" {
  stop_controller
  examine
  start_controller
  [ "$status" -eq 10 ]
  [ "$(verdict controller) $(verdict nodes)" = 'error skipped' ]
}

@test "a silent controller is waited for once" {
  kill -STOP "$(rig_pid slurmctld)"
  examine
  kill -CONT "$(rig_pid slurmctld)"
  [ "$status" -eq 10 ]
  [ "$(verdict controller) $(verdict partitions) $(verdict nodes)" = 'error skipped skipped' ]
  [ "$(found partitions)" = 'not asked: the controller does not answer' ]
}

@test "more nodes than the partition has, or another partition: nothing is submitted" {
  examine resources.nodes=4
  [ "$status" -eq 10 ]
  [ "$(found partitions)" = "resources.nodes is 4: partition 'debug' has 3 nodes" ]
  examine slurm.partition=none
  [ "$(found partitions)" = "slurm.partition is 'none': the cluster has no such partition" ]
  [ "$(verdict nodes)" = skipped ]
  [ ! -e runs ]
}

@test "a mistyped program is found before the run, and no node is to blame" {
  printf '%s\n' 'name: mistyped' 'launcher: slurm' 'run_root: runs' 'resources: {nodes: 2}' \
    'environment: {set: {PATH: /usr/bin:/bin}}' 'command: [pyhton3, x.py]' >run.yaml
  "$DDPSUBMIT" doctor run.yaml --json >answer 2>said && status=0 || status=$?
  [ "$status" -eq 10 ]
  [ "$(verdict program)" = error ]
  [ "$(found program)" = "'pyhton3' is not in PATH (/usr/bin:/bin), on node[1-2]" ]
  [ "$(answer '.bad_hosts | tostring')" = '[]' ]
  printf '#!/bin/sh\n' >tool
  chmod +x tool
  "$DDPSUBMIT" doctor run.yaml --json 'command=[./tool]' >answer
  [ -z "$(verdict program)" ]
}

@test "nodes that are drained are named with the reason" {
  scontrol update NodeName=node3 State=DRAIN Reason='bad fan'
  examine resources.nodes=2 slurm.partition=debug
  scontrol update NodeName=node3 State=RESUME
  [ "$status" -eq 0 ]
  [ "$(verdict partitions)" = warning ]
  [ "$(found partitions)" = 'debug, high; out of service: node3 drained (bad fan)' ]
}

@test "a wait in the queue is shown, and an interrupt cancels the job" {
  sbatch -N3 --exclusive -o /dev/null --wrap 'sleep 1000'
  "$DDPSUBMIT" doctor "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=slurm resources.nodes=3 "run_root=$PWD/runs" >output 2>said 3>&- &
  doctor=$!
  eventually grep -qsE '^the probe is queued' said
  kill -INT "$doctor"
  wait "$doctor" && status=0 || status=$?
  [ "$status" -eq 130 ]
  [ -z "$(squeue -h -n doctor -t PENDING,RUNNING)" ]
  [ ! -e runs ]
  scancel --name=wrap
}

# Last: Slurm may take the node out.
@test "a node that loses its link is named" {
  ip -netns node3 link set eth0 down
  examine
  ip -netns node3 link set eth0 up
  scontrol update NodeName=node3 State=DOWN Reason=test
  scontrol update NodeName=node3 State=RESUME
  [ "$status" -eq 10 ]
  [ "$(verdict probe)" = error ]
  [ "$(answer '.bad_hosts | tostring') $(answer .exclude)" = '["node3"] slurm.exclude=node3' ]
}
