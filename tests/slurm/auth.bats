# A cluster with AuthType=auth/slurm, on which no munge runs.

load ../support/eventually
load ../support/slurm_run

setup() { isolate_user; }

munge_is_silent() { ! munge -n >/dev/null 2>&1; }

@test "a cluster that needs no munge: doctor says so, and a run succeeds" {
  kill "$(cat /run/rig/munge/pid)"
  eventually munge_is_silent
  printf '%s\n' 'name: auth' 'launcher: slurm' 'run_root: runs' 'command: ["true"]' >run.yaml
  "$DDPSUBMIT" doctor run.yaml --json >answer
  jq -e '.checks[] | select(.check == "munge") | .verdict == "skipped" and .found == "not needed: this cluster has AuthType=auth/slurm"' answer
  "$DDPSUBMIT" run run.yaml
  "$DDPSUBMIT" wait last
}
