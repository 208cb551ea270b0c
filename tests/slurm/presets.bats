# The files of configs/compute, one by one, on a Slurm that has their GPUs in partition gpu: what is there is tested.

load ../support/local_run
load ../support/second_try

setup() {
  isolate_user
  mkdir -p "$XDG_CONFIG_HOME/ddpsubmit"
  echo 'slurm: {partition: gpu}' >"$XDG_CONFIG_HOME/ddpsubmit/user.yaml"
  printf 'launcher: slurm\ncommand: ["true"]\n' >run.yaml
}

presets() { "$DDPSUBMIT" presets --json | jq -r '.presets[].name'; }

# test_only SCRIPT: sbatch's answer to the script's own #SBATCH lines.
test_only() { sbatch --test-only "$1" 2>&1; }

@test "each preset is listed with what it is for" {
  diff <(presets) <(cd "$SOURCE_DIR/configs" && ls -- */*.yaml)
  [ "$("$DDPSUBMIT" presets --json | jq '[.presets[] | select(.description == "")] | length')" = 0 ]
}

@test "each preset is valid, gives a script without a fault, and is accepted by sbatch" {
  for preset in $(presets); do
    echo "$preset"
    "$DDPSUBMIT" validate run.yaml "+include=$preset"
    "$DDPSUBMIT" render run.yaml "+include=$preset" >script.sbatch
    shellcheck script.sbatch
    test_only script.sbatch
  done
}

@test "sbatch takes them at their word: it refuses GPUs, CPUs and memory that no node has" {
  for more in resources.gpu_type=v100 resources.gpus_per_node=9 resources.cpus_per_task=200 resources.memory=2TiB; do
    "$DDPSUBMIT" render run.yaml +include=compute/a100_4x.yaml "$more" >script.sbatch
    echo "$more"
    run test_only script.sbatch
    [ "$status" -ne 0 ]
  done
}

@test "a preset is found from any folder, in the file and on the command line" {
  mkdir -p elsewhere
  printf 'launcher: slurm\ninclude: [compute/h100_2x8.yaml]\ncommand: ["true"]\n' >elsewhere/run.yaml
  cd /
  "$DDPSUBMIT" render "$OLDPWD/elsewhere/run.yaml" | grep -x '#SBATCH --gpus-per-node=h100:8'
  "$DDPSUBMIT" render "$OLDPWD/elsewhere/run.yaml" +include=compute/a40_1x.yaml | grep -x '#SBATCH --gpus-per-node=a40:1'
}
