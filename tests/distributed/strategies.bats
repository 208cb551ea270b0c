# Whatever the strategy, the same shards lead to the same parameters, to float rounding.

load ../support/eventually
load ranks

setup() {
  [ -x "${DDPSUBMIT:-}" ] || skip 'ddpsubmit is not built'
  cd "$BATS_TEST_TMPDIR" || exit 1
}

# train STRATEGY_LINES RANKS DIR [STEPS]
train() {
  cat >"$3.yaml" <<EOF
train:
  max_steps: ${4:-40}
$1
  model: {name: mlp, input_dim: 20, hidden_dims: [32, 16], num_classes: 5}
  data: {name: synthetic, samples: 203, features: 20, num_classes: 5, batch_size: 8}
  optimizer: {name: sgd, learning_rate: 0.1, momentum: 0.9}
  evaluate: {every_epochs: 1}
rendezvous: {timeout: 60s}
EOF
  run run_ranks "$2" "$3" "$DDPTRAIN" --config "$3.yaml"
  cat "$3/"*.err
  [[ $output =~ ^0(\ 0)*$ ]]
}

# near DIR DIR: are the final parameters the same, to rounding? Momentum is that of the updating rank.
near() {
  local part distance
  for part in model optimizer; do
    distance=$("$WEIGHTS_DISTANCE" "$(merged "$1/checkpoints/step-00000040-a0" "$part")" "$(merged "$2/checkpoints/step-00000040-a0" "$part")")
    echo "$part: $distance"
    awk -v distance="$distance" 'BEGIN { exit !(distance < 1e-5) }' || return 1
  done
}

# reaches_all_reduce RANKS DIR STRATEGY_LINES [PROCESSES]: after all-reduce has trained as many ranks in ddp-RANKS. The test split has the
# same loss, too.
reaches_all_reduce() {
  train "$3" "${4:-$1}" "$2"
  near "ddp-$1" "$2"
  cmp <(grep '^epoch 3  test loss' "ddp-$1/rank-0.out") <(grep '^epoch 3  test loss' "$2/rank-0.out")
}

# check_strategies RANKS
check_strategies() {
  train "  strategy: ddp" "$1" "ddp-$1"
  grep '^epoch 3  test loss' "ddp-$1/rank-0.out"
  reaches_all_reduce "$1" server "  strategy: parameter_server"
  reaches_all_reduce "$1" fsdp "  strategy: fsdp"
  reaches_all_reduce "$1" replicas "$(printf '  strategy: data_parallel\n  data_parallel: {replicas: %s}' "$1")" 1
}

@test "a parameter server, shards, and replicas in one process reach what all-reduce reaches, and evaluate the same model" {
  check_strategies 2
}

@test "with three and four ranks they reach it, too, and so do shards within groups" {
  check_strategies 4
  reaches_all_reduce 4 hsdp "$(printf '  strategy: hsdp\n  hsdp: {shard: 2}')"
  train "  strategy: ddp" 3 ddp-3
  train "  strategy: fsdp" 3 fsdp-3
  near ddp-3 fsdp-3
}

@test "accumulated batches are one batch, whatever the strategy" {
  local accumulate='  gradient_accumulation_steps: 3'
  train "$accumulate" 2 ddp
  train "$(printf '  strategy: parameter_server\n%s' "$accumulate")" 2 server
  train "$(printf '  strategy: data_parallel\n%s' "$accumulate")" 1 replicas
  train "$(printf '  strategy: fsdp\n%s' "$accumulate")" 2 sharded
  near ddp server
  near ddp replicas
  near ddp sharded
}

# evaluated DIR: the loss of the test split, to the last bit
evaluated() { sed -n 's/.*"kind":"evaluate".*"loss":\([^,]*\).*/\1/p' "$1/metrics.jsonl"; }

# evaluate_own_buffers LINE: with this line ranks keep their own running statistics.
evaluate_own_buffers() {
  rm -rf run again
  cat >config.yaml <<EOF
train:
  epochs: 2
  model: {name: resnet18, in_channels: 1, num_classes: 10}
  data: {name: fashion_mnist, root: images, batch_size: 2}
  optimizer: {name: sgd, learning_rate: 0.01}
$1
  evaluate: {every_epochs: 2}
EOF
  run run_ranks 2 run "$DDPTRAIN" --config config.yaml
  [ "$output" = "0 0" ]
  sed -i '/optimizer/d; s,^  epochs.*,  mode: evaluate\n  checkpoint: {path: run/checkpoints/LATEST},' config.yaml
  run run_ranks 2 again "$DDPTRAIN" --config config.yaml
  [ "$output" = "0 0" ]
  echo "$(evaluated run) $(evaluated again)"
  [ -n "$(evaluated run)" ]
  [ "$(evaluated run)" = "$(evaluated again)" ]
}

@test "ranks that keep their own buffers evaluate the model of the checkpoint" {
  random_images images 24
  evaluate_own_buffers '  ddp: {broadcast_buffers: false}'
  evaluate_own_buffers '  strategy: fsdp'
}

@test "a parameter server goes on from a checkpoint as if it had not stopped" {
  train "  strategy: parameter_server" 3 whole
  train "  strategy: parameter_server" 3 parts 17
  train "  strategy: parameter_server" 3 parts
  grep '^resumed from step 17$' parts/rank-0.out
  same_checkpoint whole parts
}
