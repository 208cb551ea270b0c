# How each launcher is given four ranks; `queue` is one that only tests have (tests/launchers).

# shellcheck disable=SC2034 # for contract.bats
declare -gA arguments_of=(
  [local]='launcher=local resources.nodes=1 resources.tasks_per_node=4'
  [slurm]='launcher=slurm resources.nodes=2 resources.tasks_per_node=2'
  [queue]='launcher=queue resources.nodes=2 resources.tasks_per_node=2'
  [ssh]='launcher=ssh ssh.hosts=[node1,node2] resources.nodes=2 resources.tasks_per_node=2'
)
