# Configurations and records of a run that are not what was written: verbs tell it, and never crash, hang or throw.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run

# The mutations are the same each time; by hand another seed looks elsewhere.
seed=${MUTATION_SEED:-20240601}

setup() {
  isolate_user
  command -v python3 >/dev/null || skip 'python3 is not installed'
}

# mutate COUNT FILE...: writes mutations/0, 1 and so on, and tells of each in mutations/list.
mutate() {
  rm -rf mutations list
  "$BATS_TEST_DIRNAME/mutate.py" "$seed" "$1" mutations "${@:2}" >list
  mv list mutations/list
  [ "$(wc -l <mutations/list)" -eq "$1" ]
}

# bears VERB [ARGUMENT...]: ddpsubmit ends by itself, with an exit code of its own, and tells errors in its own words.
bears() {
  code=0
  timeout --kill-after=5 60 "$DDPSUBMIT" "$@" >answer 2>said </dev/null || code=$?
  case $code in
    0) ;;
    1 | 2 | 3 | 5 | 7 | 8 | 10) [[ -s said || -s answer ]] || tell "$@" ;;
    *) tell "$@" ;;
  esac
  ! grep -aE 'terminate called|what\(\):|std::|nlohmann|json\.exception|YAML::|CLI::|AddressSanitizer|runtime error:|assertion' said || tell "$@"
  [[ $* != *--json* ]] || jq empty answer || tell "$@"
}

# What it was, for the reader of a failed test.
tell() {
  echo "mutation '$mutation': ddpsubmit $*: exit code $code"
  tail -c 2000 said answer
  return 1
}

# write_large_config: wide.yaml, with keys of all kinds.
write_large_config() {
  cat >wide.yaml <<'CONFIG'
name: wide
launcher: slurm
include: [narrow.yaml]
run_root: "runs of 'me' $$x"
resources: {nodes: 2, tasks_per_node: 4, gpus_per_node: 4, gpu_type: a100, cpus_per_task: 3, memory: 64GiB, time: 1-02:03:04}
slurm:
  partition: gpu
  mail_user: me@example.org
  setup: ["module load cuda", "ulimit -c 0"]
  options: {contiguous: "", licenses: 'a "b" c'}
ssh:
  hosts: [{host: node1, slots: 4, address: 10.0.0.2}, node2]
  port: 2222
  connect_timeout: 5s
environment:
  inherit: false
  set: {GREETING: &greeting "hello 😀", OTHER: *greeting}
  pass: [PATH, HOME]
  setup: ["export X=1"]
rendezvous: {backend: gloo, timeout: 90s}
fault_tolerance: {max_restarts: 2, requeue: true, signal: USR1, signal_lead: 2m, hang_timeout: 1h30m}
train:
  seed: 7
  epochs: 3
  model: {name: resnet18, num_classes: 10, stem: cifar}
  data: {name: cifar10, root: /data, global_batch_size: 256, workers: 2}
  optimizer: {name: sgd, learning_rate: 1.0e-1}
  schedule: {name: multistep, milestones: [10, 20], gamma: 0.1}
  checkpoint: {every_epochs: 1, keep: 3, keep_best: accuracy}
sweep:
  train.seed: [1, 2, 3]
  train.optimizer: [{name: sgd, learning_rate: 0.5}, {name: adam}]
sweep_options: {at_once: 2}
CONFIG
  echo 'rendezvous: {shared_memory: false}' >narrow.yaml
}

@test "no verb that reads a configuration crashes, hangs or throws, whatever has become of its bytes" {
  local number file
  write_large_config
  cp "$SOURCE_DIR"/configs/{fashion_mnist_mlp,synthetic_mlp}.yaml .
  "$DDPSUBMIT" validate wide.yaml
  mutate 200 wide.yaml wide.yaml fashion_mnist_mlp.yaml synthetic_mlp.yaml
  while IFS=$'\t' read -r number file mutation; do
    mutation="$number of $file: $mutation"
    mv "mutations/$number" mutated.yaml
    bears validate mutated.yaml
    bears render mutated.yaml
    bears render mutated.yaml --explain --json
  done <mutations/list
  [ ! -e runs ] && [ ! -e state ]
}

# run_training [KEY=VALUE...]: a short one of a single rank, which leaves two checkpoints.
run_training() {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" train.max_steps=20 train.checkpoint.every_steps=10 "$@"
  use_only_run
  cp -a "$run_folder" pristine
}

# damage RECORD NUMBER: the run folder is as it was, but for one record, in the place of which that mutation is.
damage() {
  rm -rf "$run_folder"
  cp -a pristine "$run_folder"
  cp "mutations/$2" "$run_folder/$1"
}

@test "no verb that reads a run folder crashes, hangs or throws, whatever has become of a record" {
  local number file verb
  run_training
  (
    cd pristine
    records=(ledger/*.jsonl plan.json spec.yaml exit/attempt-0/*.json metrics.jsonl checkpoints/*/manifest.json checkpoints/LATEST
      attempts/0/claim.json)
    ((${#records[@]} >= 11))
    mutate 160 "${records[@]}" && mv mutations ..
  )
  while IFS=$'\t' read -r number file mutation; do
    mutation="$number of $file: $mutation"
    damage "$file" "$number"
    for verb in 'status last --json' 'describe last' 'describe last --json' 'list --json' 'logs last --tail 3' 'wait last --timeout 0s'; do
      # shellcheck disable=SC2086 # words of it
      bears $verb
    done
  done <mutations/list
  rm -rf "$run_folder"
  mv pristine "$run_folder"
  [ "$(state_of_run)" = succeeded ]
}

no_rank_crashed() { [[ -z $(jq -r 'select(.signal != null) | .rank' "$run_folder"/exit/attempt-*/rank-*.json) ]]; }

@test "a training goes on from a checkpoint that holds, whatever has become of the newest one" {
  local number file
  run_training resources.tasks_per_node=1
  sed -i 's/max_steps: 20\b/max_steps: 30/' pristine/spec.yaml
  (cd pristine && mutate 20 checkpoints/step-00000020-a0/{manifest,state}.json checkpoints/LATEST && mv mutations ..)
  while IFS=$'\t' read -r number file mutation; do
    mutation="$number of $file: $mutation"
    damage "$file" "$number"
    bears rerun last --follow
    no_rank_crashed || tell rerun last --follow
    [[ $code -eq 0 && -e $run_folder/checkpoints/step-00000030-a1/manifest.json ]] || tell rerun last --follow
  done <mutations/list
}
