# Runs on the hosts of an ssh rig.

run_id= # of the run that is looked at

# shellcheck source=tests/support/run_records.bash
source "${BASH_SOURCE[0]%/*}/run_records.bash"
# shellcheck source=tests/support/ssh_hosts.bash
source "${BASH_SOURCE[0]%/*}/ssh_hosts.bash"
# shellcheck source=tests/support/undisturbed.bash
source "${BASH_SOURCE[0]%/*}/undisturbed.bash"
# shellcheck source=tests/support/slow_links.bash
source "${BASH_SOURCE[0]%/*}/slow_links.bash"
# shellcheck source=tests/support/short_waits.bash
source "${BASH_SOURCE[0]%/*}/short_waits.bash"

training=(train.epochs=null train.max_steps=250 train.data.batch_size=16)

# train HOSTS RANKS [KEY=VALUE...]: the example's model on the first HOSTS, with RANKS each; sets run_id and run_folder.
train() {
  local hosts=$1 ranks=$2
  shift 2
  if [[ $* == *stage* ]]; then fast_links; else slow_links 400mbit; fi # programs that are pushed are large
  run_id=$("$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=ssh "ssh.hosts=[$(seq -s , -f node%g "$hosts")]" \
    "resources.nodes=$hosts" "resources.tasks_per_node=$ranks" "run_root=$PWD/runs" "${training[@]}" \
    train.checkpoint.every_steps=20 train.checkpoint.keep=100 train.log.every_steps=1 --detach "$@" 2>said) || return
  run_folder=$PWD/runs/$run_id
}

# train_locally RANKS: the same on this machine, undisturbed: where its parameters are.
train_locally() {
  local folder
  folder=$(undisturbed "resources.tasks_per_node=$1" "${training[@]}")
  final_parameters "$folder"
}

# command_run HOSTS COMMAND [OPTION...]: one rank a host that runs COMMAND in a shell.
command_run() {
  local hosts=$1 command=$2
  shift 2
  cat >run.yaml <<CONFIG
name: job
launcher: ssh
run_root: runs
resources: {nodes: $hosts}
ssh: {hosts: [$(seq -s , -f node%g "$hosts")]}
fault_tolerance: {grace_period: 2s}
command: [sh, -c, $(jq -n --arg text "$command" '$text')]
CONFIG
  run_id=$("$DDPSUBMIT" run run.yaml --detach "$@" 2>said) || return
  run_folder=$PWD/runs/$run_id
}

# The agent of the host of a rank: the parent of the guard that is the parent of the rank.
agent_of_rank() { parent_of "$(parent_of "$(pid_of_rank "$1" "$2")")"; }
is_in_state() { [[ $(state_of_run) == "$1" ]]; }
