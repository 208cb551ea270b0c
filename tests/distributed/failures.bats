# How ranks end when something is wrong.

bats_require_minimum_version 1.5.0
load ../support/eventually
load ranks

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  convnet config.yaml 100000
}

@test "when a rank is killed the others leave with 76 and say why" {
  start_ranks 3 run "$DDPTRAIN" --config config.yaml
  eventually reached run 3
  kill -9 "$(pid_of run 1)"
  ended run "76 -9 76"
  grep '^\[rank 0\] another rank has exited' run/rank-0.err
  grep '^\[rank 2\] another rank has exited' run/rank-2.err
}

@test "when rank 0, which serves the store, is killed, the others leave with 76" {
  start_ranks 3 run "$DDPTRAIN" --config config.yaml
  eventually reached run 3
  kill -PIPE "$(pid_of run 1)" # as a write to the store that is gone does
  kill -9 "$(pid_of run 0)"
  ended run "-9 76 76"
}

@test "a rank does not join the store of another run" {
  FOREIGN_RANK=1 start_ranks 2 run "$DDPTRAIN" --config config.yaml
  eventually grep '^\[rank 1\] the store at 127.0.0.1:[0-9]* belongs to another run' run/rank-1.err
  kill -9 "$(pid_of run 0)"
  ended run "-9 1"
}

@test "errors of the configuration are shown with their place, exit 3" {
  sed -i 's/max_steps/max_stepz/' config.yaml
  run --separate-stderr "$DDPTRAIN" --config config.yaml
  [ "$status" -eq 3 ]
  [[ $stderr == *"config.yaml:2:"* ]]
}

@test "without a launcher one rank trains, and says that nothing is kept" {
  convnet config.yaml 1
  run env -i "$DDPTRAIN" --config config.yaml
  [ "$status" -eq 0 ]
  [[ ${lines[0]} == "no run folder"* ]]
  [[ ${lines[1]} == "step 1/1  epoch 1  loss "* ]]
}

@test "a person's interrupt is a request to stop" {
  start_ranks 1 run "$DDPTRAIN" --config config.yaml
  eventually reached run 2
  kill -INT "$(pid_of run 0)"
  ended run 75
}

@test "CUDA that is not there is named" {
  [ ! -e /dev/nvidia0 ] || skip "this machine has a GPU"
  sed -i 's/^train:/&\n  device: cuda/' config.yaml
  run env -i "$DDPTRAIN" --config config.yaml
  [ "$status" -eq 1 ]
  [[ $output == *CUDA* ]]
}

@test "a rank that no longer answers ends the others with 76 when the time is over" {
  sed -i 's/timeout: .*}/timeout: 10s}/' config.yaml
  start_ranks 3 run "$DDPTRAIN" --config config.yaml
  eventually reached run 3
  kill -STOP "$(pid_of run 1)"
  eventually grep '^\[rank 0\] another rank has exited or does not respond' run/rank-0.err
  kill -9 "$(pid_of run 1)"
  ended run "76 -9 76"
}

# As in a cluster of unlike nodes: with other instructions the last bits differ.
@test "parameters that drift apart are noticed, with step and rank" {
  [[ $(lscpu) == *" avx2 "* ]] || skip "this CPU has one way to compute only"
  convnet config.yaml 500
  sed -i 's/^  ddp: {/&verify_every_steps: 5, /; s/adam, learning_rate: 0.001/sgd, learning_rate: 0.05/' config.yaml
  # shellcheck disable=SC2016 # the rank's own variables
  run run_ranks 2 run sh -c '[ "$DDPSUBMIT_RANK" = 0 ] || export ATEN_CPU_CAPABILITY=default; exec "$@"' sh "$DDPTRAIN" --config config.yaml
  [ "$output" = "1 1" ]
  grep -E "^\\[rank 0\\] after step [0-9]*5 the parameters of rank 1 differ from those of rank 0; the first that differs is '" run/rank-0.err
  grep -E "^\\[rank 1\\] after step [0-9]*5 the parameters of rank 1 differ from those of rank 0; the first that differs is '" run/rank-1.err
}

@test "weights of another model are refused with the tensor, exit 3" {
  convnet config.yaml 1
  run run_ranks 1 first "$DDPTRAIN" --config config.yaml --run-dir first
  [ "$output" = "0" ]
  weights=$PWD/first/checkpoints/$(cat first/checkpoints/LATEST)/model.safetensors
  sed -i "s,{name: convnet},{name: mlp\\, weights: $weights}," config.yaml
  run run_ranks 1 second "$DDPTRAIN" --config config.yaml --run-dir second
  [ "$output" = "3" ]
  grep -F "train.model.weights: the tensors of '$weights' do not match the model: 'layers.0.weight' is missing; " second/rank-0.err
}

@test "a model starts from the weights of another run" {
  convnet config.yaml 3
  run run_ranks 1 first "$DDPTRAIN" --config config.yaml --run-dir first
  weights=$PWD/first/checkpoints/$(cat first/checkpoints/LATEST)/model.safetensors
  sed -i "s,{name: convnet},{name: convnet\\, weights: $weights},; s,learning_rate: 0.001,learning_rate: 0," config.yaml
  run run_ranks 2 second "$DDPTRAIN" --config config.yaml --run-dir made/here
  [ "$output" = "0 0" ]
  grep -F "starting from the weights of '$weights'" second/rank-0.out
  cmp "$weights" "made/here/checkpoints/$(cat made/here/checkpoints/LATEST)/model.safetensors"
}
