# A wall clock that a case sets while processes run by it. Their monotonic clock and the times of files stay those of the machine.

false_clock_library=/usr/lib/$(uname -m)-linux-gnu/faketime/libfaketimeMT.so.1
false_clock=(LD_PRELOAD="$false_clock_library" FAKETIME_TIMESTAMP_FILE="$BATS_TEST_TMPDIR/clock" FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1
  DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1)

# set_clock OFFSET: from the time of the machine, as +1d.
set_clock() {
  echo "$1" >"$BATS_TEST_TMPDIR/clock.new"
  mv "$BATS_TEST_TMPDIR/clock.new" "$BATS_TEST_TMPDIR/clock"
}

# use_false_clock: from here on, runs are supervised and trained by it. ddpsubmit itself passes no LD_PRELOAD on.
use_false_clock() {
  [[ -e $false_clock_library ]] || skip 'libfaketime is not installed'
  set_clock +0
  local programs=${DDPSUBMIT%/*}
  mkdir bin
  cp "$DDPSUBMIT" bin/
  [[ ! -e $programs/ddptrain ]] || ln -s "$programs"/{ddptrain,libtorch} bin/ # a build has libtorch beside it
  printf '#!/bin/bash\nexec env %s %q "$@"\n' "$(printf '%q ' "${false_clock[@]}")" "$programs/ddp-agent" >bin/ddp-agent
  chmod +x bin/ddp-agent
  DDPSUBMIT=$PWD/bin/ddpsubmit
}

# runs_by_false_clock PID
runs_by_false_clock() { grep -q "$false_clock_library" "/proc/$1/maps"; }
