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

@test "a parameter server reaches what all-reduce reaches" {
  local ranks
  for ranks in 2 4; do
    train "  strategy: ddp" "$ranks" "ddp-$ranks"
    train "  strategy: parameter_server" "$ranks" "server-$ranks"
    near "ddp-$ranks" "server-$ranks"
  done
}

@test "sharded parameters reach what replicated ones reach" {
  local ranks
  for ranks in 2 3 4; do
    train "  strategy: ddp" "$ranks" "ddp-$ranks"
    train "  strategy: fsdp" "$ranks" "fsdp-$ranks"
    near "ddp-$ranks" "fsdp-$ranks"
  done
  train "$(printf '  strategy: hsdp\n  hsdp: {shard: 2}')" 4 hsdp
  near ddp-4 hsdp
}

@test "replicas in one process reach what as many ranks reach" {
  local replicas
  for replicas in 2 4; do
    train "  strategy: ddp" "$replicas" "ddp-$replicas"
    train "$(printf '  strategy: data_parallel\n  data_parallel: {replicas: %s}' "$replicas")" 1 "replicas-$replicas"
    near "ddp-$replicas" "replicas-$replicas"
  done
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

@test "all strategies evaluate the same model" {
  local strategy
  for strategy in ddp parameter_server fsdp; do
    train "  strategy: $strategy" 2 "$strategy"
    grep '^epoch 3  test loss' "$strategy/rank-0.out" >"$strategy.test"
  done
  train "  strategy: data_parallel" 1 data_parallel
  grep '^epoch 3  test loss' data_parallel/rank-0.out >data_parallel.test
  cmp ddp.test parameter_server.test
  cmp ddp.test data_parallel.test
  cmp ddp.test fsdp.test
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
