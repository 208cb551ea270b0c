# Groups of some of the ranks: [0,1] and [2,3], and at the same time [2,0] and [3,1]. In memory that the ranks share, and
# over Gloo as on several hosts.

load ../support/eventually
load ranks

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

teardown() { leave_no_rank; }

@test "each group has its own sums, gathers and order of ranks" {
  local sums
  for sums in memory gloo; do
    run run_ranks 4 "$sums" "$TRAINER_PARTS" split_groups check "$sums"
    cat "$sums/"*.out "$sums/"*.err
    [ "$output" = "0 0 0 0" ]
  done
}

@test "when a rank of one group is killed, those of all groups leave with 76" {
  local sums
  for sums in memory gloo; do
    start_ranks 4 "$sums" "$TRAINER_PARTS" split_groups loop "$sums"
    eventually grep -q looping "$sums/rank-0.out"
    kill -9 "$(pid_of "$sums" 3)"
    ended "$sums" "76 76 76 -9"
    [ "$sums" = gloo ] || grep '^\[rank 2\] another rank has exited or does not respond: rank 3, process' "$sums/rank-2.err"
  done
}
