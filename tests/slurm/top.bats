# `ddpsubmit top` beside a real Slurm: one question for all runs, and none that it waits for.

load ../support/eventually
load ../support/slurm_run
load ../support/slurm_faults
load ../support/second_try
load ../support/tmux

setup() {
  command -v tmux >/dev/null || skip 'tmux is not installed'
  isolate_user
}

teardown() {
  close_screen
  kill -CONT "$(rig_pid slurmctld)" 2>/dev/null || start_controller # a case that failed may have left it down
  scancel --user="$(id -un)" 2>/dev/null || true
}

# count_calls TOOL: how it is called is from now on in calls.
count_calls() {
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\necho "%s $*" >>%q\nexec %q "$@"\n' "$1" "$BATS_TEST_TMPDIR/calls" "$(type -P "$1")" >"$BATS_TEST_TMPDIR/bin/$1"
  chmod +x "$BATS_TEST_TMPDIR/bin/$1"
  export PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

occupy_all_nodes() { sbatch --quiet --nodes=3 --exclusive --time=10 --output=/dev/null --wrap='sleep 600'; }
calls_are() { [ "$(wc -l <calls)" = "$1" ]; }
waiting_are() { [ "$(screen | grep -cE ' queued +waiting for|queued +starts in')" -ge "$1" ]; }

@test "it says why runs wait, with one squeue for all of them each time it asks" {
  occupy_all_nodes
  submit
  submit
  submit
  count_calls squeue
  open_screen 120 24
  type_line "$DDPSUBMIT top --interval 600"
  eventually shows_line ' queued .*(Resources|Priority|nodes|jobs|resources)'
  eventually waiting_are 3
  calls_are 1
  press u
  eventually calls_are 2
  press u
  eventually calls_are 3
}

@test "a controller that does not answer stops nothing: it is said, and states come from the run folders" {
  submit
  open_screen 120 24
  kill -STOP "$(rig_pid slurmctld)"
  type_line "$DDPSUBMIT top"
  eventually shows 'q quit'
  eventually shows_line "$run_id +(queued|running)"
  press '?'
  eventually shows 'any key goes back'
  press x
  eventually shows_line 'Slurm has not answered for [0-9]+ s; states are from the run folders'
  press q
  eventually shows_not 'q quit'
  kill -CONT "$(rig_pid slurmctld)"
  occupy_all_nodes
  submit
  type_line "$DDPSUBMIT top"
  eventually shows_line ' queued .*(Resources|Priority|nodes|jobs|resources)' # which Slurm alone tells
  shows_not 'has not answered'
}
