# What several attacks do, and what must not come of one.

# kill_at_once PID...: none of them sees another one end, as all of them stop before the first one dies.
kill_at_once() {
  kill -STOP "$@"
  kill -KILL "$@"
}

# nothing_was_run: no file `hacked`, which injected commands make, is where programs of a run, daemons of a rig and the test work.
nothing_was_run() {
  local place
  for place in / /tmp /root /run/rig "$SOURCE_DIR" "$PWD" "$DDP_TEST_STATE"; do
    [[ -z $(find "$place" -maxdepth 5 -path /proc -prune -o -name 'hacked*' -print 2>/dev/null) ]] || return
  done
}
