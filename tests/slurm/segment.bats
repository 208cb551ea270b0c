# Nodes in two blocks of two: a run in segments, each within a block.

load ../support/eventually
load ../support/slurm_run

setup_file() {
  printf '%s\n' 'BlockName=left Nodes=node[1-2]' 'BlockName=right Nodes=node[3-4]' BlockSizes=2 >/run/rig/etc/topology.conf
  echo TopologyPlugin=topology/block >>/run/rig/etc/slurm.conf
  scontrol reconfigure
  eventually has_blocks
  eventually nodes_are_idle
}
has_blocks() { [[ $(scontrol show topology) == *BlockName=left* ]]; }
nodes_are_idle() { [[ $(sinfo -h -N -o %T | sort -u) == idle ]]; }

setup() {
  isolate_user
  printf '%s\n' 'name: segments' 'launcher: slurm' 'run_root: runs' 'command: [hostname]' >run.yaml
}

@test "two segments of two nodes" {
  "$DDPSUBMIT" run run.yaml resources.nodes=4 slurm.segment=2
  "$DDPSUBMIT" wait last
}

teardown() { scancel --name=wrap; }

# hosts_of SEGMENT: of a run of two nodes.
hosts_of() {
  "$DDPSUBMIT" run run.yaml resources.nodes=2 slurm.segment="$1"
  "$DDPSUBMIT" wait last
  "$DDPSUBMIT" logs last --json | jq -r .text | sort | xargs >hosts
}

@test "a segment of two nodes lies in one block, two segments of one node need not" {
  sbatch --nodelist=node1 --exclusive --output=/dev/null --wrap 'sleep 600'
  hosts_of 2
  [ "$(<hosts)" = 'node3 node4' ]
  hosts_of 1
  [ "$(<hosts)" = 'node2 node3' ]
}

@test "segments that cannot have as many nodes each are refused before Slurm is asked" {
  run "$DDPSUBMIT" run run.yaml resources.nodes=3 slurm.segment=2
  [ "$status" -eq 3 ]
  [[ $output == *'resources.nodes is 3, which is not a multiple of slurm.segment, 2'* ]]
}
