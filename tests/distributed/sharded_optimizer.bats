# The state of an optimizer, divided among the ranks: the same bytes as without, and together no more of them.

load ../support/eventually
load ranks

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

# same_as_whole OPTIMIZER RANKS...: in each implementation; and the ranks keep together what one keeps without.
same_as_whole() {
  local optimizer=$1 implementation ranks
  shift
  for ranks in "$@"; do
    echo "$optimizer, $ranks ranks"
    run run_ranks "$ranks" "$ranks" "$TRAINER_PARTS" sharded_optimizer "$optimizer" loop foreach fused simd
    cat "$ranks/"*.err
    [[ $output =~ ^0(\ 0)*$ ]]
    for implementation in loop foreach fused simd; do
      grep -h "^$implementation " "$ranks/"*.out | tee kept
      awk '{ kept += $2; whole = $3; if ($2 > most) most = $2 } END { exit !(NR > 1 && kept == whole && most < whole) }' kept
    done
  done
}

@test "sgd with momentum" { same_as_whole sgd 2 4; }
@test "adam" { same_as_whole adam 2 4; }
@test "adamw" { same_as_whole adamw 2 4; }
@test "more ranks than parameters" { same_as_whole adam 9; }

# train RANKS DIR STEPS OPTIMIZER SHARD [MORE]
train() {
  convnet "$2.yaml" "$3"
  sed -i "s/^  optimizer.*/  optimizer: $4/; s/^  ddp: {/&shard_optimizer: $5, /; s/every_steps: 1}/every_steps: 10}/" "$2.yaml"
  if [ -n "$6" ]; then sed -i "s/^  ddp/  $6\n&/" "$2.yaml"; fi
  run run_ranks "$1" "$2" "$DDPTRAIN" --config "$2.yaml"
  cat "$2/"*.err
  [[ $output =~ ^0(\ 0)*$ ]]
}

# check RANKS OPTIMIZER [MORE]: 12 steps, and 12 with a stop after the 5th and checkpoints beside the training.
check() {
  local more=$3
  rm -rf whole shares parts
  train "$1" whole 12 "$2" false "$more"
  train "$1" shares 12 "$2" true "$more"
  same_checkpoint whole shares
  train "$1" parts 5 "$2" true "$more"
  train "$1" parts 12 "$2" true "${more:+$more\\n  }checkpoint: {every_steps: 2}"
  grep '^resumed from step 5$' parts/rank-0.out
  same_checkpoint whole parts
}

@test "two ranks end with the checkpoint of a run without, also when they were stopped" {
  check 2 '{name: sgd, learning_rate: 0.01, momentum: 0.9}'
  [[ -z ${FULL_LENGTH:-} ]] || check 2 '{name: adam, learning_rate: 0.001}'
  check 2 '{name: adamw, learning_rate: 0.001, implementation: fused}'
}

@test "also in channels_last, with weight decay of matrices alone" {
  check 2 '{name: adamw, learning_rate: 0.001, weight_decay: 0.1, decay: matrices}' 'memory_format: channels_last'
}

@test "four ranks end with the checkpoint of a run without, also when they were stopped" {
  check 4 '{name: adam, learning_rate: 0.001, implementation: foreach}' 'clip_grad_norm: 0.5'
  [[ -n ${FULL_LENGTH:-} ]] || return 0
  check 4 '{name: adam, learning_rate: 0.001}'
  check 4 '{name: adamw, learning_rate: 0.001, implementation: foreach}' 'clip_grad_norm: 0.5'
}

@test "a run goes on with or without it, on as many ranks or others" {
  local adam='{name: adam, learning_rate: 0.001}' ranks
  train 4 whole 11 "$adam" false
  train 4 shares 11 "$adam" true
  for ranks in 4 2; do
    cp -r whole "whole-$ranks"
    cp -r whole "whole-to-shares-$ranks"
    cp -r shares "shares-to-whole-$ranks"
    train "$ranks" "whole-$ranks" 20 "$adam" false
    train "$ranks" "whole-to-shares-$ranks" 20 "$adam" true
    train "$ranks" "shares-to-whole-$ranks" 20 "$adam" false
    same_checkpoint "whole-$ranks" "whole-to-shares-$ranks"
    same_checkpoint "whole-$ranks" "shares-to-whole-$ranks"
    [ "$(grep -c 'configuration has changed' "whole-to-shares-$ranks/rank-0.out")" = 0 ]
  done
}
