# What several attacks do, and what must not come of one.

# kill_at_once PID...: none of them sees another one end, as all of them stop before the first one dies.
kill_at_once() {
  kill -STOP "$@"
  kill -KILL "$@"
}

# known_weakness WHAT COMMAND...: skips the case while the command fails, and fails when it no longer does: then the case is to be a test.
known_weakness() {
  local code=0
  (
    trap - ERR EXIT
    set -e
    "${@:2}"
  ) &>weakness &
  wait "$!" || code=$?
  ((code == 0)) || skip "does not hold: $1"
  echo "This holds now: $1. Let the case demand it." && return 1
}

# nothing_was_run: no file `hacked`, which injected commands make, is where programs of a run, daemons of a rig and the test work.
nothing_was_run() {
  local place
  for place in / /tmp /root /run/rig "$SOURCE_DIR" "$PWD" "$DDP_TEST_STATE"; do
    [[ -z $(find "$place" -maxdepth 5 -path /proc -prune -o -name 'hacked*' -newer "$BATS_FILE_TMPDIR" -print 2>/dev/null) ]] || return
  done
}
