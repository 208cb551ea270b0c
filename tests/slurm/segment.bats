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

@test "a segment of two nodes lies in one block" {
  sbatch --nodelist=node1 --exclusive --output=/dev/null --wrap 'sleep 60'
  "$DDPSUBMIT" run run.yaml resources.nodes=2 slurm.segment=2
  "$DDPSUBMIT" wait last
  [ "$("$DDPSUBMIT" logs last --json | jq -r .text | sort | xargs)" = 'node3 node4' ]
  scancel --name=wrap
}

@test "segments that cannot have as many nodes each are refused before Slurm is asked" {
  run "$DDPSUBMIT" run run.yaml resources.nodes=3 slurm.segment=2
  [ "$status" -eq 3 ]
  [[ $output == *'resources.nodes is 3, which is not a multiple of slurm.segment, 2'* ]]
}
