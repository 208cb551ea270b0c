# The lanes of the tests; tests/lanes.cmake has what each of them holds.

side_by_side=$((3 * $(nproc))) # by their weights

# run_lane standard|fast|source|nightly|peers|gpu [CTEST_ARGUMENT...]
run_lane() {
  local lane=$1 labels=$1 code=0
  [[ $lane != standard ]] || labels='fast|local|rigs'
  local -A names=([standard]='Running the tests' [fast]='Running the fast tests' [source]='Building the source on a newer Debian' [nightly]='Running the nightly tests'
    [peers]='Comparing with Python' [gpu]='Running the tests on the GPU')
  step "${names[$lane]}"
  rm -rf build/release/tests/state
  # With --batch, a process that wakes up does not take the CPU from the one that has woken it. Where ranks outnumber the CPUs, one that
  # loses it while it holds the lock of a connection of Gloo keeps the thread behind that connection spinning.
  # A thread of OpenMP that waits spins by default, for as long as there are no more threads than CPUs; other tests want those CPUs.
  OMP_WAIT_POLICY=passive chrt --batch 0 ctest --preset release --no-tests=error --parallel "$side_by_side" --label-regex "^($labels)\$" "${@:2}" || code=$?
  tell_skipped build/release/tests/state/skipped
  tell_second_tries build/release/tests/state/first_tries || code=1
  return "$code"
}

# tell_skipped FILE: names the cases of bats that were skipped, with their reasons.
tell_skipped() {
  [[ -s $1 ]] || return 0
  echo "Skipped: $(wc -l <"$1")"
  sort "$1" | sed 's/^/  /'
}

# tell_second_tries FOLDER: it holds a file for each case that was tried again, with what its first try has said.
# More than three are too many.
tell_second_tries() {
  local tries
  mapfile -t tries < <(ls "$1" 2>/dev/null)
  ((${#tries[@]} > 0)) || return 0
  echo "Tests that failed once and were tried again: ${#tries[@]}"
  (cd "$1" && tail -v -n 20 -- "${tries[@]}" | sed 's/^./  &/')
  ((${#tries[@]} <= 3)) || { echo 'error: more than three tests failed in their first try: the product or these tests have a problem' >&2 && return 1; }
}
