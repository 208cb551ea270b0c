# Ranks of one host add up gradients in memory that they share.

load ../support/eventually
load ranks

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

teardown() { speed_up; }

# over_gloo CONFIG: the same without shared memory
over_gloo() { sed 's/^rendezvous: {/&shared_memory: false, /' "$1" >gloo.yaml; }

@test "the bytes are those of Gloo" {
  convnet config.yaml 6
  over_gloo config.yaml
  for ranks in 2 3 5; do
    run run_ranks "$ranks" "gloo-$ranks" "$DDPTRAIN" --config gloo.yaml
    [[ ! $output =~ [1-9] ]]
    run run_ranks "$ranks" "memory-$ranks" "$DDPTRAIN" --config config.yaml
    [[ ! $output =~ [1-9] ]]
    same_checkpoint "gloo-$ranks" "memory-$ranks"
  done
}

@test "where a rank has no way to the memory all go over Gloo, and say why" {
  unshare --pid --fork true || skip "no namespace of processes can be made here"
  convnet config.yaml 6
  over_gloo config.yaml
  run run_ranks 3 gloo "$DDPTRAIN" --config gloo.yaml
  [ "$output" = "0 0 0" ]
  # shellcheck disable=SC2016 # the rank's own variables
  run run_ranks 3 apart sh -c '[ "$DDPSUBMIT_RANK" != 2 ] || exec unshare --pid --fork --mount-proc "$@"; exec "$@"' sh "$DDPTRAIN" --config config.yaml
  [ "$output" = "0 0 0" ]
  grep -E '^\[rank 2\] gradients are summed over TCP instead of shared memory: cannot open /proc/[0-9]+/fd/[0-9]+: No such file or directory$' apart/rank-0.err
  [ ! -s apart/rank-1.err ]
  same_checkpoint gloo apart
}

# maps_memory RANK
maps_memory() { grep -q memfd:ddptrain "/proc/$(pid_of run "$1")/maps"; }

@test "the memory is there while all ranks use it, and not without" {
  convnet config.yaml 100000
  over_gloo config.yaml
  for file in config gloo; do
    start_ranks 2 run "$DDPTRAIN" --config "$file.yaml"
    eventually reached run 2
    for rank in 0 1; do
      if [ "$file" = config ]; then maps_memory "$rank"; else ! maps_memory "$rank"; fi
    done
    kill -TERM "$(pid_of run 0)"
    ended run "75 75"
    rm -r run
  done
}

@test "the record tells how long rank 0 waited for the others" {
  convnet config.yaml 100000
  start_ranks 2 run "$DDPTRAIN" --config config.yaml
  eventually reached run 3
  slow_down "$(pid_of run 1)"
  waited() { jq -es 'any(.[]; .kind == "train" and .exposed_communication_ms > 0.5 * .step_ms_p50)' run/metrics.jsonl; }
  eventually waited
  speed_up
  kill -TERM "$(pid_of run 0)"
  ended run "75 75"
}

@test "ranks that do not agree upon it are told" {
  convnet config.yaml 6
  over_gloo config.yaml
  # shellcheck disable=SC2016 # the rank's own variables
  run run_ranks 2 run sh -c '[ "$DDPSUBMIT_RANK" = 0 ] && exec "$0" --config config.yaml; exec "$0" --config gloo.yaml' "$DDPTRAIN"
  [ "$output" = "1 1" ]
  grep 'rank 1 differs from rank 0. Rank 1 (localhost) has no shared memory; rank 0 (localhost) has shared memory. Set rendezvous.shared_memory to the same value for all ranks' run/rank-0.err
}
