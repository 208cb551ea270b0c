# A wall clock that a case sets while processes run by it. Their monotonic clock and the times of files stay those of the machine.

false_clock_library=/usr/lib/$(uname -m)-linux-gnu/faketime/libfaketimeMT.so.1
false_clock=(LD_PRELOAD="$false_clock_library" FAKETIME_TIMESTAMP_FILE="$BATS_TEST_TMPDIR/clock" FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1
  DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1)

needs_false_clock() {
  [[ -e $false_clock_library ]] || skip 'libfaketime is not installed'
  set_clock +0
}

# set_clock OFFSET: from the time of the machine, as +1d.
set_clock() {
  echo "$1" >"$BATS_TEST_TMPDIR/clock.new"
  mv "$BATS_TEST_TMPDIR/clock.new" "$BATS_TEST_TMPDIR/clock"
}

# by_false_clock COMMAND...: with what it starts.
by_false_clock() {
  local -x "${false_clock[@]}"
  "$@"
}

# runs_by_false_clock PID
runs_by_false_clock() { grep -q "$false_clock_library" "/proc/$1/maps"; }
