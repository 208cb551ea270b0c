# What is submitted: a script that sbatch accepts, in an environment of its own making.

load ../support/eventually
load ../support/slurm_run
load ../support/second_try

setup() { isolate_user; }

@test "real sbatch accepts the rendered script, and shellcheck finds nothing in it" {
  "$DDPSUBMIT" render "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=slurm resources.nodes=2 >script
  sbatch --test-only script
  shellcheck script
  [ -z "$(squeue -h)" ]
}

@test "real sbatch reads the record of an option as it was given" {
  # shellcheck disable=SC2016 # it is to stay as it is
  odd='a b'\''c"d#e\f&$x`y |z'
  "$DDPSUBMIT" render "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=slurm \
    slurm.mail_type=END "slurm.mail_user=$odd" >script
  id=$(sbatch --hold --parsable script)
  scontrol show job "$id" | grep -F "MailUser=$odd"
  scancel "$id"
}

@test "a controller that is out of reach has refused nothing" {
  mkdir elsewhere
  cp /etc/slurm/*.conf elsewhere
  printf '%s\n' SlurmctldPort=1 MessageTimeout=2 >>elsewhere/slurm.conf
  SLURM_CONF=$PWD/elsewhere/slurm.conf run submit
  [ "$status" -eq 10 ]
  [[ $output == *'Slurm cannot be reached: '*'connect failure'*'nothing was submitted'* ]]
  [ ! -e "$BATS_TEST_TMPDIR/runs" ]
}

@test "the set-up line that fails is quoted in the end, in status and in describe, with what bash says" {
  submit 'slurm.setup=["true", "no-such-tool --load '\''a b'\''", "true"]'
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [[ ${lines[0]} == *"set-up failed at 'no-such-tool --load 'a b'': no-such-tool: command not found; see logs/slurm-$(job_id).out"* ]]
  [[ ${lines[1]} == *'no-such-tool'* ]]
  "$DDPSUBMIT" status last | grep -F "set-up failed at 'no-such-tool --load"
  "$DDPSUBMIT" describe last | grep -F "set-up failed at 'no-such-tool --load"
}

# end_of_setup LINES: submits with these set-up lines, and waits; `lines` are those of the end.
end_of_setup() {
  submit "$1"
  run "$DDPSUBMIT" wait last
}

@test "a function and a file that fail in the set-up are quoted where they are used; without a line the state of Slurm is told" {
  printf 'true\n\nfalse\n' >env.sh
  end_of_setup "slurm.setup=['tool() {', '  return 3', '}', 'tool load']"
  [[ ${lines[0]} == *"set-up failed at 'tool load': exit code 3; see"* ]]
  end_of_setup "environment.setup=[\"source $PWD/env.sh\"]"
  [[ ${lines[0]} == *"set-up failed at 'source $PWD/env.sh', where the file failed at 'false': exit code 1; see"* ]]
  end_of_setup "environment.setup=['module() { false; }', 'module load cuda/99']"
  [[ ${lines[0]} == *"set-up failed at 'module load cuda/99', where 'module' failed at 'false': exit code 1; see"* ]]
  end_of_setup "environment.setup=['set -u', 'echo \$NO_SUCH_VARIABLE']"
  [[ ${lines[0]} == *"set-up failed at 'echo \$NO_SUCH_VARIABLE': NO_SUCH_VARIABLE: unbound variable; see"* ]]
  end_of_setup 'slurm.setup=["exit 3"]'
  [[ ${lines[0]} == *'Slurm says FAILED, before ddp-agent started: a line of slurm.setup or environment.setup failed'* ]]
}

# on_nodes SCRIPT: a shell runs it in the mounts of each node, which are the node's own, with the run folder as $1.
on_nodes() {
  local pid
  for pid in /run/rig/pid/slurmd.*; do
    nsenter --target "$(<"$pid")" --mount -- bash -euc "$1" _ "$run_folder"
  done
}

@test "a head that cannot claim an attempt on a full disk: the state says so, though its log is on that disk" {
  printf '%s\n' 'name: full' 'launcher: slurm' 'run_root: runs' 'command: ["false"]' >run.yaml
  run_id=$("$DDPSUBMIT" run run.yaml)
  "$DDPSUBMIT" wait last && false
  run_folder=$PWD/runs/$run_id
  # shellcheck disable=SC2016 # for the shell of a node
  on_nodes 'mount -t tmpfs -o nr_inodes=1 full "$1/attempts"
    mount -t tmpfs -o size=4k full "$1/logs" && head -c 4096 /dev/zero >"$1/logs/all"'
  "$DDPSUBMIT" rerun last
  run "$DDPSUBMIT" wait last
  # shellcheck disable=SC2016
  on_nodes 'umount "$1/attempts" "$1/logs"'
  echo "$output"
  [ "$status" -eq 1 ]
  [[ $output == *'Slurm says FAILED, and ddp-agent could not start an attempt: the disk of the run folder may be full or out of inodes'* ]]
}

@test "a rerun with another time limit is a job with it, and a script of its own; the next one keeps it" {
  touch fails
  submit_command '[ ! -e fails ]' resources.time=5m
  "$DDPSUBMIT" wait last || true
  grep -x '#SBATCH --time=0-00:05:00' "$run_folder/script.sbatch"
  "$DDPSUBMIT" rerun last resources.time=20m 'fault_tolerance.requeue=true' --follow || true
  scontrol show job "$(job_id | tail -n 1)" | grep -F 'TimeLimit=00:20:00'
  grep -x '#SBATCH --time=0-00:20:00' "$run_folder/script.sbatch"
  rm fails
  "$DDPSUBMIT" rerun last --follow
  scontrol show job "$(job_id | tail -n 1)" | grep -F 'TimeLimit=00:20:00'
  scontrol show job "$(job_id | tail -n 1)" | grep -F 'Requeue=1'
  [ "$(state_of_run)" = succeeded ]
  grep -E '^  time: 20m +# command line$' "$run_folder/spec.yaml"
  run "$DDPSUBMIT" rerun last slurm.partition=high
  [ "$status" -eq 2 ]
  [[ $output == *"'slurm.partition' cannot change in a rerun: a run stays on the machines that it was started on"* ]]
}
