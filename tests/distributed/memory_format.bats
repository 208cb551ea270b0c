# Images and weights with their channels last: the ways of a training that depend on where a tensor's numbers lie.

load ../support/eventually
load ranks

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

# train RANKS DIR STEPS [OPTIMIZER [LINES]]
train() {
  cat >"$2.yaml" <<EOF
train:
  max_steps: $3
  model: {name: resnet18, in_channels: 1, num_classes: 10}
  data: {name: fashion_mnist, batch_size: 4}
  optimizer: ${4:-"{name: sgd, learning_rate: 0.01, momentum: 0.9}"}
${5-  memory_format: channels_last}
  evaluate: {every_epochs: 0}
  checkpoint: {every_steps: 2}
rendezvous: {timeout: 60s}
EOF
  run run_ranks "$1" "$2" "$DDPTRAIN" --config "$2.yaml"
  cat "$2/"*.err
  [[ $output =~ ^0(\ 0)*$ ]]
}

# near DIR DIR: are the final models the same, to rounding?
near() {
  local distance
  distance=$("$WEIGHTS_DISTANCE" {"$1/checkpoints/$(cat "$1/checkpoints/LATEST")","$2/checkpoints/$(cat "$2/checkpoints/LATEST")"}/model.safetensors)
  echo "$distance"
  awk -v distance="$distance" 'BEGIN { exit !(distance < 1e-3) }'
}

@test "a run in channels_last goes on with the same bytes" {
  local ranks optimizer
  while read -r ranks optimizer; do
    [[ -n $ranks ]] || continue
    rm -rf whole parts
    train "$ranks" whole 5 "$optimizer"
    train "$ranks" parts 3 "$optimizer"
    train "$ranks" parts 5 "$optimizer"
    grep '^resumed from step 3$' parts/rank-0.out
    same_checkpoint whole parts
  done <<CASES
1 {name: adamw, learning_rate: 0.001, implementation: fused}
3 {name: sgd, learning_rate: 0.01, momentum: 0.9}
${FULL_LENGTH:+1 {name: sgd, learning_rate: 0.01, momentum: 0.9\}}
${FULL_LENGTH:+3 {name: adamw, learning_rate: 0.001, implementation: fused\}}
CASES
}

@test "it computes what contiguous computes, and one goes on where the other stopped" {
  local optimizer="{name: sgd, learning_rate: 0.0001}"
  train 2 contiguous 4 "$optimizer" ""
  train 2 last 4 "$optimizer"
  near contiguous last
  train 2 mixed 2 "$optimizer" ""
  train 2 mixed 4 "$optimizer"
  grep '^the configuration has changed since the checkpoint was written: .*train.memory_format: channels_last (was contiguous)' mixed/rank-0.out
  near last mixed
}

@test "all strategies compute it, with optimizers that go by the memory" {
  local optimizer="{name: adamw, learning_rate: 0.0001, implementation: fused}" last="  memory_format: channels_last"
  train 2 ddp 4 "$optimizer"
  train 2 server 4 "$optimizer" "$(printf '%s\n  strategy: parameter_server' "$last")"
  train 1 replicas 4 "$optimizer" "$(printf '%s\n  strategy: data_parallel' "$last")"
  near ddp server
  near ddp replicas
}

@test "weights of a file reach all ranks in the format" {
  local weights
  train 1 first 1
  weights=$PWD/first/checkpoints/step-00000001-a0/model.safetensors
  for format in contiguous channels_last; do
    cat >"$format.yaml" <<EOF
train:
  max_steps: 1
  model: {name: resnet18, in_channels: 1, num_classes: 10, weights: $weights}
  data: {name: fashion_mnist, batch_size: 4}
  optimizer: {name: sgd, learning_rate: 0}
  memory_format: $format
  ddp: {verify_every_steps: 1}
  evaluate: {every_epochs: 0}
EOF
    run run_ranks 2 "$format" "$DDPTRAIN" --config "$format.yaml"
    [ "$output" = "0 0" ]
  done
  # parameters of step 1, which the update leaves alone; running statistics differ in their last bits
  [ "$("$WEIGHTS_DISTANCE" {contiguous,channels_last}/checkpoints/step-00000001-a0/model.safetensors | awk '{ print ($1 < 1e-5) }')" = 1 ]
}

@test "a model without images is refused" {
  mlp_refuses "  memory_format: channels_last" 'train.memory_format channels_last: the model has no four-dimensional parameter'
}
