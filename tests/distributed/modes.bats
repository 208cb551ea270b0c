# DistributedDataParallel against an all_reduce per gradient: the same bytes with two ranks, nearly the same with four.
# The model has BatchNorm and several buckets. In memory that the ranks share, and as on several hosts over Gloo.

load ../support/eventually
load ranks

modes=(plain copied_gradients find_unused static_graph no_sync own_buffers fp16 bf16 fp16_no_sync)

# All modes in one start of a group.
setup_file() {
  local ranks sums
  for ranks in 2 4; do
    for sums in memory gloo; do
      run_ranks "$ranks" "$BATS_FILE_TMPDIR/$ranks-$sums" "$TRAINER_PARTS" modes check "$sums" "${modes[@]}" >"$BATS_FILE_TMPDIR/$ranks-$sums.ends"
    done
  done
}

check_mode() {
  local ranks sums rank
  for ranks in 2 4; do
    for sums in memory gloo; do
      cat "$BATS_FILE_TMPDIR/$ranks-$sums/"*.err
      [[ $(<"$BATS_FILE_TMPDIR/$ranks-$sums.ends") =~ ^0(\ 0)*$ ]]
      for ((rank = 0; rank < ranks; rank++)); do grep -qx "$1: same" "$BATS_FILE_TMPDIR/$ranks-$sums/rank-$rank.out"; done
    done
  done
}

@test "plain" { check_mode plain; }
@test "gradients copied out of the buckets" { check_mode copied_gradients; }
@test "find_unused_parameters, with a layer that some ranks, then none use" { check_mode find_unused; }
@test "static_graph, with a layer that is never used" { check_mode static_graph; }
@test "no_sync, three micro-batches a step" { check_mode no_sync; }
@test "broadcast_buffers off: each rank has its own running statistics" { check_mode own_buffers; }
@test "comm_hook fp16" { check_mode fp16; }
@test "comm_hook bf16" { check_mode bf16; }
@test "comm_hook fp16 with no_sync" { check_mode fp16_no_sync; }
