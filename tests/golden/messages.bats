# What is read most, word by word: the end of a run, its state, list and description. See support/golden.bash.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

bats_require_minimum_version 1.5.0
load ../support/local_run
load ../support/golden

export TZ=UTC

setup() { isolate_user; }

write_training() {
  cat >training.yaml <<'YAML'
name: training
run_root: runs
resources: {tasks_per_node: 2, time: 10m}
train:
  epochs: 1
  model: {name: mlp, input_dim: 8, hidden_dims: [8]}
  data: {name: synthetic, features: 8, samples: 256, batch_size: 32}
  optimizer: {name: sgd, learning_rate: 0.1}
YAML
}

@test "a training that succeeds" {
  write_training
  "$DDPSUBMIT" run training.yaml 2>said
  is_golden succeeded <said
  "$DDPSUBMIT" status last | is_golden status_succeeded
  "$DDPSUBMIT" describe last | is_golden describe_succeeded
}

@test "a rank that fails" {
  write_config 2 'if [ $RANK = 1 ]; then echo "loading the data" >&2; echo "no such file: data.bin" >&2; exit 4; fi; sleep 600'
  run -1 --separate-stderr "$DDPSUBMIT" run run.yaml
  is_golden failed <<<"$stderr"
  "$DDPSUBMIT" status last | is_golden status_failed
  "$DDPSUBMIT" describe last | is_golden describe_failed
}

@test "a rank that fails once, and its restart" {
  write_config 2 'if [ $DDPSUBMIT_ATTEMPT = 1 ]; then exit 0; fi
if [ $RANK = 0 ]; then sleep 600; fi; echo "connection lost" >&2; exit 4'
  "$DDPSUBMIT" run run.yaml fault_tolerance.max_restarts=1 2>said
  is_golden restarted <said
  "$DDPSUBMIT" describe last | is_golden describe_restarted
  "$DDPSUBMIT" list | is_golden list
}

@test "a sweep with a point that fails" {
  write_config 1 'test $VALUE != 2'
  run -1 --separate-stderr "$DDPSUBMIT" run run.yaml name=sweep 'sweep.environment.set.VALUE=["1", "2"]'
  is_golden sweep <<<"$output"
  is_golden sweep_end <<<"$stderr"
}

@test "several mistakes in one file" {
  write_training
  sed -i -e 's/tasks_per_node/task_per_node/' -e 's/name: mlp/name: mpl/' -e 's/learning_rate: 0.1/learning_rate: fast/' training.yaml
  run -3 --separate-stderr "$DDPSUBMIT" validate training.yaml
  is_golden mistakes <<<"$stderr"
}

@test "a program that is not there" {
  write_config 1 true
  run -10 --separate-stderr "$DDPSUBMIT" run run.yaml 'command=[pythn3, train.py]'
  is_golden refused <<<"$stderr"
}
