# DistributedDataParallel against an all_reduce per gradient: the same bytes with two ranks, nearly the same with four.

load ../support/eventually
load ranks

check_mode() {
  local ranks
  for ranks in 2 4; do
    run run_ranks "$ranks" "$BATS_TEST_TMPDIR/$ranks" "$DDP_MODES" "$1"
    cat "$BATS_TEST_TMPDIR/$ranks/"*.err
    [[ $output =~ ^0(\ 0)*$ ]]
  done
}

@test "plain" { check_mode plain; }
@test "gradients copied out of the buckets" { check_mode copied_gradients; }
@test "find_unused_parameters, with a layer that some ranks, then none use" { check_mode find_unused; }
@test "static_graph, with a layer that is never used" { check_mode static_graph; }
@test "no_sync, three micro-batches a step" { check_mode no_sync; }
