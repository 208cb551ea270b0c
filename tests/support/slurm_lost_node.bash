# A run of the rig that may lose a node, which is there again for the next case.

# shellcheck source=tests/support/eventually.bash
source "${BASH_SOURCE[0]%/*}/eventually.bash"
# shellcheck source=tests/support/slurm_faults.bash
source "${BASH_SOURCE[0]%/*}/slurm_faults.bash"
# shellcheck source=tests/support/slurm_requeue.bash
source "${BASH_SOURCE[0]%/*}/slurm_requeue.bash"

setup() { isolate_user; }
# A case that fails leaves jobs, too.
teardown() {
  scancel --user=root
  eventually no_process_of_run
  all_nodes_are_there || return_lost_node
}
all_nodes_are_there() { [[ -z ${lost:-} ]] || kill -0 "$(rig_pid "slurmd.$lost")" 2>/dev/null; }

# lose NODE: as lose_node, until return_lost_node.
lose() {
  lost=$1
  lose_node "$lost"
}

# All nodes are up then, and nothing of earlier jobs is on them.
return_lost_node() {
  return_node "$lost"
  eventually nodes_are_idle
}
nodes_are_idle() { [[ $(sinfo -h -N -p debug -t idle -o %N | xargs) == 'node1 node2 node3' ]]; }
