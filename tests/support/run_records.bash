# A run of the real ddpsubmit, seen through its records and its processes.

run_folder= # of the run that is looked at; tests set it

# shellcheck source=tests/support/eventually.bash
source "${BASH_SOURCE[0]%/*}/eventually.bash"

# The runs and the user's state go into the test's own folder.
isolate_user() {
  export HOME=$BATS_TEST_TMPDIR XDG_STATE_HOME=$BATS_TEST_TMPDIR/state XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
  export XDG_CACHE_HOME=$DDP_TEST_STATE/cache # what is in there is the same for all tests
  cd "$BATS_TEST_TMPDIR" || return
}

# event NAME FILTER: what the jq FILTER makes of each event of that name.
event() {
  cat "$run_folder"/ledger/*.jsonl | jq -r "select(.event == \"$1\") | $2"
}

# exit_records FILTER: what the jq FILTER makes of each rank's exit record.
exit_records() {
  jq -r "$1" "$run_folder"/exit/attempt-0/rank-*.json
}

# final_parameters RUN_FOLDER, parameters_in FOLDER: where those of the run are, or of the one run that is in FOLDER.
final_parameters() { echo "$1/checkpoints/$(<"$1/checkpoints/LATEST")/model.safetensors"; }
parameters_in() { final_parameters "$(echo "$1"/*)"; }

state_of_run() { "$DDPSUBMIT" status last --json | jq -r '.runs[0].state'; }

# By the run's folder in command lines and environments, which also children in sessions of their own have. The pattern
# comes from a file, so that grep does not find itself.
processes_of_run() {
  [[ -n $run_folder ]] || return # the empty pattern fits every process
  grep -lsF -f <(echo "$run_folder") /proc/[0-9]*/cmdline /proc/[0-9]*/environ
}

no_process_of_run() { [[ -z $(processes_of_run) ]]; }

# takes_signals PID: ddpsubmit takes INT and TERM for its run, as it does from when it begins to follow it.
takes_signals() { ((0x$(awk '/^SigBlk/ { print $2 }' "/proc/$1/status") & 2)); }

has_event() { [[ -n $(event "$1" .time) ]]; }
outcomes() { event attempt_ended .outcome | xargs; }

# ranks_are_up COUNT: so many ranks have made their file here.
ranks_are_up() { [[ $(find . -maxdepth 1 -name 'up.*' | wc -l) -eq $1 ]]; }

# Of an attempt.
has_checkpoint() { compgen -G "$run_folder/checkpoints/step-*-a$1/manifest.json" >/dev/null; }

recorded_pid() { event rank_started "select(.attempt == $1 and .rank == $2) | .pid"; } # ATTEMPT RANK
rank_is_recorded() { [[ -n $(recorded_pid "$@") ]]; }
# pid_of_rank ATTEMPT RANK: waits for its record, which may come after the rank has begun to work.
pid_of_rank() { eventually rank_is_recorded "$@" && recorded_pid "$@"; }
parent_of() { ps -o ppid= -p "$1" | tr -d ' '; }
# Of the first attempt on the host of its rank 0.
pid_of_guard() { parent_of "$(pid_of_rank 0 0)"; }
