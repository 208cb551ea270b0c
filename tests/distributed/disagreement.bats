# Ranks that do not have the same module, or no longer the same parameters, or have the same GPU or another backend: all of them say which rank and what.

load ../support/eventually
load ranks

# says FAULT SENTENCE: of three ranks, the last of which has FAULT.
says() {
  run run_ranks 3 "$BATS_TEST_TMPDIR" "$TRAINER_PARTS" disagreement "$1"
  cat "$BATS_TEST_TMPDIR/"*.err
  [ "$output" = "1 1 1" ]
  local rank
  for rank in 0 1 2; do [ "$(cat "$BATS_TEST_TMPDIR/rank-$rank.err")" = "$2" ]; done
}

module="DistributedDataParallel: the module is not the same on all ranks; rank 2 differs from rank 0."
weight="the parameter 'weight': Float [2, 3], strides [3, 1], with gradient"
bias="the parameter 'bias': Float [2], strides [1], with gradient"
mean="the buffer 'mean': Float [2], strides [1], without gradient"

# training FILE [SED_SCRIPT]: a configuration, changed like this.
training() {
  cat >"$1" <<EOF
train:
  max_steps: 4
  strategy: ddp
  ddp: {shard_optimizer: false}
  model: {name: mlp, hidden_dims: [4]}
  data: {name: fashion_mnist, root: images, batch_size: 5}
  optimizer: {name: sgd, learning_rate: 0.1}
  evaluate: {every_epochs: 0}
rendezvous: {timeout: 60s}
EOF
  sed -i "${2:-}" "$1"
}

# refused SED_SCRIPT SENTENCE: of three ranks, the last of which has a configuration that is changed like this.
refused() {
  cd "$BATS_TEST_TMPDIR" || return 1
  random_images images 60
  random_images fewer 50
  training 0.yaml
  training 1.yaml
  training 2.yaml "$1"
  # shellcheck disable=SC2016  # each rank has its own
  run run_ranks 3 . sh -c 'exec "$DDPTRAIN" --config "$DDPSUBMIT_RANK.yaml"'
  cat ./*.err
  [ "$output" = "1 1 1" ]
  local rank
  for rank in 0 1 2; do grep -F "$2" "rank-$rank.err"; done
}

settings="the configuration is not the same on all ranks; rank 2 differs from rank 0."

@test "the same modules and parameters are fine" {
  run run_ranks 3 "$BATS_TEST_TMPDIR" "$TRAINER_PARTS" disagreement nothing
  [ "$output" = "0 0 0" ]
}

@test "another shape" {
  says shape "$module Rank 2 has the parameter 'weight': Float [4, 3], strides [3, 1], with gradient; rank 0 has $weight"
}

@test "another name" {
  says name "$module Rank 2 has the parameter 'weights': Float [2, 3], strides [3, 1], with gradient; rank 0 has $weight"
}

@test "a parameter less" { says count "$module Rank 2 has $mean; rank 0 has $bias"; }

@test "a parameter that needs no gradient" {
  says gradient "$module Rank 2 has the parameter 'bias': Float [2], strides [1], without gradient; rank 0 has $bias"
}

@test "other strides" {
  says strides "$module Rank 2 has the parameter 'weight': Float [2, 3], strides [1, 2], with gradient; rank 0 has $weight"
}

@test "another type" {
  says type "$module Rank 2 has the parameter 'weight': Double [2, 3], strides [3, 1], with gradient; rank 0 has $weight"
}

@test "another buffer" { says buffer "$module Rank 2 has the buffer 'mean': Float [5], strides [1], without gradient; rank 0 has $mean"; }

@test "other options" {
  run run_ranks 2 "$BATS_TEST_TMPDIR" "$TRAINER_PARTS" disagreement options
  [ "$output" = "1 1" ]
  grep -F "Rank 1 has the options bucket_cap_mib 3, find_unused_parameters false" "$BATS_TEST_TMPDIR/rank-0.err"
  grep -F "comm_hook none" "$BATS_TEST_TMPDIR/rank-0.err"
  grep -F "rank 0 has the options bucket_cap_mib 25, " "$BATS_TEST_TMPDIR/rank-1.err"
}

@test "another strategy" {
  refused 's/strategy: ddp/strategy: parameter_server/; /shard/d' "$settings Rank 2 has train.strategy: parameter_server; rank 0 has train.strategy: ddp"
}

@test "another option of the strategy" {
  refused 's/shard_optimizer: false/shard_optimizer: true/' "$settings Rank 2 has train.ddp.shard_optimizer: true; rank 0 has train.ddp.shard_optimizer: false"
}

@test "another option of the model" {
  refused 's/hidden_dims: .4./hidden_dims: [4, 4]/' "$settings Rank 2 has train.model.hidden_dims: 4, 4; rank 0 has train.model.hidden_dims: 4"
}

@test "data with fewer samples" {
  refused 's/root: images/root: fewer/' "train.data: the training data is not the same on all ranks; rank 2 differs from rank 0. Rank 2 has 50 samples; rank 0 has 60 samples. Put the same files on every node"
}

@test "a value that changes on one rank" {
  says value "after step 7 the parameters of rank 2 differ from those of rank 0; the first that differs is 'weight'"
}

@test "a GPU that two ranks have" {
  says device "several ranks use the same GPU, GPU-0: rank 0 (node1), rank 2 (node1); NCCL needs one GPU for each rank. Use as many GPUs as ranks per node (resources.gpus_per_node, resources.tasks_per_node; CUDA_VISIBLE_DEVICES must not be the same single GPU for all), or set rendezvous.backend: gloo to share the GPU"
}

advice="With train.device: auto each rank looks for CUDA itself: set train.device, and use the same kind of device for all ranks"

@test "another backend" {
  says nccl "not all ranks use the same backend; rank 2 differs from rank 0. Rank 2 (node3) has backend nccl on a CUDA device; rank 0 (node1) has backend gloo on the CPU. $advice"
}

@test "the same backend on another kind of device" {
  says cuda "not all ranks use the same backend; rank 2 differs from rank 0. Rank 2 (node3) has backend gloo on a CUDA device; rank 0 (node1) has backend gloo on the CPU. $advice"
}
