# BatchNorm over all ranks: what they reach together is what one rank reaches with the batch of all.

load ../support/eventually
load ranks

setup() {
  [ -x "${DDPSUBMIT:-}" ] || skip 'ddpsubmit is not built'
  cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "ranks with batches of different sizes compute what plain layers compute on all of them" {
  local ranks
  for ranks in 1 2 3; do
    run run_ranks "$ranks" "$ranks" "$TRAINER_PARTS" sync_batch_norm
    cat "$ranks/"*.out "$ranks/"*.err
    [[ $output =~ ^0(\ 0)*$ ]]
  done
}

# train RANKS BATCH_SIZE DIR LINES [STEPS]
train() {
  [ -d images ] || random_images images 160
  cat >"$3.yaml" <<EOF
train:
  max_steps: ${5:-6}
  model: {name: resnet18, in_channels: 1, num_classes: 10}
  data: {name: fashion_mnist, root: images, batch_size: $2}
  optimizer: {name: sgd, learning_rate: 0.0001}
$4
  evaluate: {every_epochs: 0}
rendezvous: {timeout: 60s}
EOF
  run run_ranks "$1" "$3" "$DDPTRAIN" --config "$3.yaml"
  cat "$3/"*.err
  [[ $output =~ ^0(\ 0)*$ ]]
}

# distance DIR DIR: between their last models, sharded or not.
distance() { "$WEIGHTS_DISTANCE" "$(merged "$(last_of "$1")" model)" "$(merged "$(last_of "$2")" model)"; }

# below NUMBER NUMBER
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

# A rounding that turns a value of ReLU from below 0 to above it grows with the learning rate, step by step: it is small.
@test "two ranks reach what one reaches with batches of twice the size" {
  local strategy apart
  train 1 8 one ""
  train 2 4 plain ""
  apart=$(distance one plain)
  echo "without: $apart"
  below 0.01 "$apart"
  for strategy in ddp parameter_server fsdp; do
    train 2 4 "$strategy" "$(printf '  sync_batch_norm: true\n  strategy: %s' "$strategy")"
    apart=$(distance one "$strategy")
    echo "$strategy: $apart"
    below "$apart" 1e-4
  done
}

@test "one rank with it is one without" {
  train 1 4 plain "" 3
  train 1 4 synchronised "  sync_batch_norm: true" 3
  cmp {plain,synchronised}/checkpoints/step-00000003-a0/model.safetensors
}

@test "a run with it goes on with the same bytes" {
  local synchronised="  sync_batch_norm: true"
  train 3 4 whole "$synchronised" 5
  train 3 4 parts "$synchronised" 2
  train 3 4 parts "$synchronised" 5
  grep '^resumed from step 2$' parts/rank-0.out
  same_checkpoint whole parts
}

@test "a model without such a layer is refused" {
  mlp_refuses "  sync_batch_norm: true" 'sync_batch_norm: the model has no BatchNorm layer'
}
