# The rig itself: it comes up, is a real Slurm, leaves nothing behind, and does not touch the host.
# shellcheck disable=SC2016  # the scripts in single quotes are for a shell in the rig

load ../support/eventually
load ../support/second_try

rig() { "$SLURM_RIG" with "$@"; }

# Processes that live in the PID namespace whose link text is in FILE.
processes_of() {
  find /proc/[0-9]*/ns/pid -maxdepth 0 -lname "$(sed 's/[][]/\\&/g' "$1")" 2>/dev/null || true
}

no_process_of() { [[ -z $(processes_of "$1") ]]; }

@test "three nodes with names and addresses of their own, munge, two partitions, GPUs" {
  run rig -- bash -c 'srun -Q -N3 hostname | sort; munge -n | unmunge | grep -c Success; sinfo -h -o %R | sort
                      srun -Q -w node3 hostname -I; srun -Q --gpus-per-node=2 printenv CUDA_VISIBLE_DEVICES; hostname'
  [ "$status" -eq 0 ]
  [ "${lines[*]}" = 'node1 node2 node3 1 debug high 10.77.0.3  0,1 login0' ]
}

@test "the exit code is the command's" {
  run rig --nodes 1 -- bash -c 'exit 42'
  [ "$status" -eq 42 ]
}

@test "further lines of slurm.conf win over those of the rig" {
  run rig --nodes 1 --conf MinJobAge=7 --conf MaxArraySize=11 --conf KillWait=3 -- scontrol show config
  grep -E '^MinJobAge += 7 ' <<<"$output"
  grep -E '^MaxArraySize += 11$' <<<"$output"
  grep -E '^KillWait += 3 ' <<<"$output"
}

@test "daemons die, freeze and come back" {
  run rig --nodes 2 -- bash -c 'cd "$1"; source ../support/eventually.bash; source ../support/slurm_faults.bash
    lose_node node2; sinfo -h -N -o "%N %T" -n node2; return_node node2; eventually srun -w node2 hostname
    stop_controller; scontrol ping; start_controller; srun -w node1 hostname
    freeze_controller 1; srun -w node2 hostname' _ "$BATS_TEST_DIRNAME"
  echo "$output"
  [ "$status" -eq 0 ]
  grep -xF 'node2 down' <<<"$output"
  grep -F 'is DOWN' <<<"$output"
  [ "$(grep -cx node2 <<<"$output")" -eq 2 ]
  [ "$(grep -cx node1 <<<"$output")" -eq 1 ]
}

@test "two rigs at once do not meet" {
  rig --nodes 1 -- bash -c 'sbatch --wait -J first --wrap true -o /dev/null && squeue -h -t all -o %j' >"$BATS_TEST_TMPDIR/first" &
  rig --nodes 2 -- bash -c 'sbatch --wait -J second --wrap true -o /dev/null && squeue -h -t all -o %j' >"$BATS_TEST_TMPDIR/second"
  wait $!
  [ "$(tail -n 1 "$BATS_TEST_TMPDIR/first")" = first ]
  [ "$(tail -n 1 "$BATS_TEST_TMPDIR/second")" = second ]
}

@test "its end leaves no process, no link, no mount and no file" {
  host_state() { ip -br link; sort /proc/self/mounts; cat /etc/hosts; ls -A /etc/slurm /run; }
  before=$(host_state)
  rig -- bash -c 'readlink /proc/self/ns/pid >"$1"; sbatch -N3 -o /dev/null --wrap "srun sleep 600"' _ "$BATS_TEST_TMPDIR/namespace"
  eventually no_process_of "$BATS_TEST_TMPDIR/namespace"
  [ "$(host_state)" = "$before" ]
}

run_long_job_in_rig() {
  exec "$SLURM_RIG" with -- bash -c '
    sbatch -N3 -o /dev/null --wrap "srun sleep 600"
    until [[ $(squeue -h -s -o %i) == *.0* ]]; do sleep 0.05; done
    readlink /proc/self/ns/pid >"$1.new" && mv "$1.new" "$1"; sleep 600' _ "$BATS_TEST_TMPDIR/namespace" 3>&-
}

ends_with_all_processes() {
  eventually test -s "$BATS_TEST_TMPDIR/namespace"
  [ "$(processes_of "$BATS_TEST_TMPDIR/namespace" | wc -l)" -gt 8 ]
  kill -9 "$1"
  eventually no_process_of "$BATS_TEST_TMPDIR/namespace"
}

@test "kill -9 of the rig takes Slurm and the jobs along" {
  run_long_job_in_rig &
  ends_with_all_processes $!
}

@test "kill -9 of the rig's parent takes them along, too" {
  (run_long_job_in_rig & wait) &
  ends_with_all_processes $!
}
