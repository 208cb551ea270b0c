# Trainings of ddptrain on GPUs. What needs more of them than there are is skipped.

load ../support/eventually
load ../distributed/ranks

setup() {
  gpus=$(count_gpus)
  ((gpus > 0)) || skip "there is no NVIDIA GPU here"
  cd "$BATS_TEST_TMPDIR" || exit 1
}

count_gpus() { find /dev -maxdepth 1 -name 'nvidia[0-9]*' | wc -l; }

need_gpus() { ((gpus >= $1)) || skip "this needs $1 GPUs, and $gpus are here"; }

# config FILE DEVICE STEPS [LINES]: a training of a perceptron; LINES are more of train.
config() {
  cat >"$1" <<EOF
train:
  device: $2
  max_steps: $3
  ${4-}
  model: {name: mlp}
  data: {name: fashion_mnist, batch_size: 64, random_crop_padding: 2, horizontal_flip: true, workers: 2}
  optimizer: {name: adam, learning_rate: 0.001}
  evaluate: {every_epochs: 0}
  log: {every_steps: 5}
rendezvous: {timeout: 60s}
EOF
}

# train RANKS DIR CONFIG: to its end.
train() {
  run run_ranks "$1" "$2" "$DDPTRAIN" --config "$3"
  cat "$2"/rank-*.err
  [[ $output =~ ^0(\ 0)*$ ]]
}

# losses DIR: of all records, a line each.
losses() { jq 'select(.kind == "train") | .loss' "$1/metrics.jsonl"; }

# same_losses DIR DIR: but for the rounding of sums in another order.
same_losses() {
  paste <(losses "$1") <(losses "$2") | tee losses
  awk 'NF != 2 || ($1 - $2) ^ 2 > (0.001 * $2) ^ 2 { exit 1 }' losses
}

@test "a rank on a GPU follows the losses of one on the CPU" {
  config gpu.yaml cuda 60
  config cpu.yaml cpu 60
  train 1 gpu gpu.yaml
  train 1 cpu cpu.yaml
  same_losses gpu cpu
}

@test "device: auto takes the GPU where there is one for each rank" {
  config auto.yaml auto 5
  train 1 auto auto.yaml
  jq -es 'map(select(.kind == "train")) | last | .peak_gpu_memory_bytes > 0' auto/metrics.jsonl
}

@test "the same training gives the same bytes" {
  config config.yaml cuda 60
  train 1 first config.yaml
  train 1 second config.yaml
  same_checkpoint first second
}

@test "the number of workers, and where images are transformed, changes no bit" {
  config two.yaml cuda 60
  config none.yaml cuda 60
  sed -i 's/workers: 2/workers: 0/' none.yaml
  train 1 two two.yaml
  train 1 none none.yaml
  same_checkpoint two none
}

@test "a rank goes on from any step with the same bytes" {
  local first
  config whole.yaml cuda 20
  train 1 whole whole.yaml
  for first in 1 $((RANDOM % 10 + 2)); do
    echo "stopped after step $first"
    config part.yaml cuda "$first"
    train 1 "from-$first" part.yaml
    train 1 "from-$first" whole.yaml
    grep "^resumed from step $first\$" "from-$first/rank-0.out"
    same_checkpoint whole "from-$first"
  done
}

@test "the random numbers of dropout go on where they stopped" {
  local folder=from-5
  sed 's/{name: mlp}/{name: convnet}/' <(config /dev/stdout cuda 12) >whole.yaml
  sed 's/max_steps: 12/max_steps: 5/' whole.yaml >part.yaml
  train 1 whole whole.yaml
  train 1 $folder part.yaml
  train 1 $folder whole.yaml
  cmp "whole/checkpoints/$(cat whole/checkpoints/LATEST)/rng.safetensors" \
    "$folder/checkpoints/$(cat $folder/checkpoints/LATEST)/rng.safetensors"
}

@test "with deterministic: true convolutions and dropout go on with the same bytes, too" {
  export CUBLAS_WORKSPACE_CONFIG=:4096:8
  sed 's/{name: mlp}/{name: convnet}/' <(config /dev/stdout cuda 12 'deterministic: true') >whole.yaml
  sed 's/max_steps: 12/max_steps: 5/' whole.yaml >part.yaml
  train 1 whole whole.yaml
  train 1 from-5 part.yaml
  train 1 from-5 whole.yaml
  same_checkpoint whole from-5
}

@test "deterministic: true without the variable of cuBLAS says so before the first step" {
  unset CUBLAS_WORKSPACE_CONFIG
  config config.yaml cuda 5 'deterministic: true'
  run run_ranks 1 run "$DDPTRAIN" --config config.yaml
  [ "$output" = 3 ]
  grep 'train.deterministic: cuBLAS is deterministic only with CUBLAS_WORKSPACE_CONFIG=:4096:8' run/rank-0.err
}

# residual FILE DEVICE LINES: five steps of two ranks that share what there is.
residual() {
  config "$1" "$2" 5 "$3"
  sed -i 's/{name: mlp}/{name: resnet18, stem: cifar, in_channels: 1, num_classes: 10}/; s/batch_size: 64, random_crop.*/batch_size: 8}/
    s/optimizer: .*/optimizer: {name: sgd, learning_rate: 0.0003}/; s/every_steps: 5/every_steps: 1/; s/^rendezvous: {/&backend: gloo, /' "$1"
}

@test "channels_last, and BatchNorm over all ranks, follow the losses of the CPU" {
  local lines
  export CUDA_VISIBLE_DEVICES=0
  for lines in 'memory_format: channels_last' 'sync_batch_norm: true' $'sync_batch_norm: true\n  memory_format: channels_last'; do
    rm -rf gpu cpu
    residual gpu.yaml cuda "$lines"$'\n  tf32: false'
    residual cpu.yaml cpu "$lines"
    train 2 gpu gpu.yaml
    train 2 cpu cpu.yaml
    same_losses gpu cpu
  done
}

@test "bf16 and fp16 learn what float32 does" {
  local precision
  config float32.yaml cuda 100
  train 1 float32 float32.yaml
  for precision in bf16 fp16; do
    config $precision.yaml cuda 100 "precision: $precision"
    train 1 $precision $precision.yaml
    jq -en "($(losses $precision | tail -1) - $(losses float32 | tail -1)) | fabs < 0.05"
  done
}

@test "clipped and accumulated gradients, and verified parameters, are those of the CPU" {
  local more=$'clip_grad_norm: 0.5\n  gradient_accumulation_steps: 2\n  ddp: {verify_every_steps: 5}'
  config gpu.yaml cuda 40 "$more"
  config cpu.yaml cpu 40 "$more"
  train 1 gpu gpu.yaml
  train 1 cpu cpu.yaml
  same_losses gpu cpu
}

@test "compressed gradients train over NCCL" {
  local hook
  for hook in fp16 bf16; do
    config $hook.yaml cuda 20 "ddp: {comm_hook: $hook}"
    train 1 $hook $hook.yaml
  done
}

@test "two ranks with one GPU: both say so, by name" {
  config config.yaml cuda 5
  export CUDA_VISIBLE_DEVICES=0
  run run_ranks 2 run "$DDPTRAIN" --config config.yaml
  [ "$output" = "1 1" ]
  for rank in 0 1; do
    grep "^\[rank $rank\] several ranks use the same GPU, GPU-[0-9a-f-]*: rank 0 (.*), rank 1 (.*); NCCL needs one GPU for each rank" run/rank-$rank.err
  done
}

@test "two ranks share a GPU over Gloo" {
  config config.yaml cuda 10
  sed -i 's/^rendezvous: {/&backend: gloo, /' config.yaml
  export CUDA_VISIBLE_DEVICES=0
  train 2 run config.yaml
}

# check_shares: two ranks that divide the optimizer's state end with the checkpoint of two that do not, and went on once.
check_shares() {
  train 2 whole config.yaml
  sed 's/^  model/  ddp: {shard_optimizer: true}\n&/' config.yaml >shares.yaml
  train 2 shares shares.yaml
  same_checkpoint whole shares
  sed 's/max_steps: .*/max_steps: 7/' shares.yaml >part.yaml
  train 2 parts part.yaml
  train 2 parts shares.yaml
  same_checkpoint whole parts
}

@test "two ranks with one GPU, over Gloo, divide the optimizer's state and get the same bytes" {
  config config.yaml cuda 20
  sed -i 's/^rendezvous: {/&backend: gloo, /' config.yaml
  export CUDA_VISIBLE_DEVICES=0
  check_shares
}

@test "two ranks on two GPUs divide the optimizer's state and get the same bytes" {
  need_gpus 2
  config config.yaml cuda 20
  check_shares
}

@test "the passes of two ranks are timed on their device" {
  config config.yaml cuda 20
  sed -i 's/^rendezvous: {/&backend: gloo, /' config.yaml
  export CUDA_VISIBLE_DEVICES=0
  train 2 run config.yaml
  jq -es 'map(select(.kind == "train")) | all(.slowest_rank_ms >= .median_rank_ms and .median_rank_ms > 0)' run/metrics.jsonl
}

@test "more ranks than GPUs: device auto is the CPU" {
  config config.yaml auto 5
  train $((gpus + 1)) run config.yaml
  jq -es 'map(select(.kind == "train")) | last | has("gpu_memory_bytes") | not' run/metrics.jsonl
  grep "^WARNING: $gpus CUDA devices\? .* not used: this node has $((gpus + 1)) ranks" run/rank-0.out
}

@test "two ranks on two GPUs follow the losses of two on the CPU" {
  need_gpus 2
  config gpu.yaml cuda 60
  config cpu.yaml cpu 60
  train 2 gpu gpu.yaml
  train 2 cpu cpu.yaml
  same_losses gpu cpu
}

@test "two ranks on two GPUs that divide the state of the optimizer end with the same bytes" {
  need_gpus 2
  config whole.yaml cuda 40
  config divided.yaml cuda 40 'ddp: {shard_optimizer: true}'
  train 2 whole whole.yaml
  train 2 divided divided.yaml
  same_checkpoint whole divided
}

@test "a rank that no longer answers ends the other with 76 when the time is over" {
  need_gpus 2
  config config.yaml cuda 1000000
  sed -i 's/timeout: .*}/timeout: 10s}/' config.yaml
  start_ranks 2 run "$DDPTRAIN" --config config.yaml
  eventually reached run 10
  kill -STOP "$(pid_of run 1)"
  eventually grep '^\[rank 0\] another rank has exited or does not respond' run/rank-0.err
  kill -9 "$(pid_of run 1)"
  ended run "76 -9"
}

@test "a rank that does not come to NCCL ends the other with 76 when the time is over" {
  start_ranks 2 run "$ABSENT_RANK" connect
  eventually grep -F '[rank 0] another rank has exited or does not respond: NCCL did not connect all ranks within 10 s' run/rank-0.err
  kill -9 "$(pid_of run 1)"
  ended run "76 -9"
}

@test "a collective that hangs on the device is ended by the watchdog with 76, and its trace is written" {
  need_gpus 2
  mkdir -p run/logs/attempt-0
  start_ranks 2 run "$ABSENT_RANK" collective
  eventually grep '^\[rank 0\] another rank has exited or does not respond: .*Watchdog caught collective operation timeout' run/rank-0.err
  kill -9 "$(pid_of run 1)"
  ended run "76 -9"
  ls -l run/logs/attempt-0
  test -s run/logs/attempt-0/nccl-trace-0
}
