# Where each line of a batch script comes from.

load ../support/fake_slurm

setup() {
  use_fake_slurm
  mkdir -p "$programs/../share/ddpsubmit" "$XDG_CONFIG_HOME/ddpsubmit"
  ln -s "$SOURCE_DIR/configs" "$programs/../share/ddpsubmit/configs"
  printf '# Mine.\nslurm:\n  account: vision\n  partition: gpu\n' >"$XDG_CONFIG_HOME/ddpsubmit/user.yaml"
  cat >run.yaml <<'YAML'
name: resnet
launcher: slurm
include: [compute/h100_2x8.yaml]
resources: {time: 12h}
slurm:
  setup: [module load cuda]
  options: {contiguous: ""}
  srun_options: {cpu-bind: none}
environment:
  setup:
    - source env.sh
    - export OMP_PROC_BIND=true
train:
  epochs: 90
  model: {name: mlp}
  data: {name: fashion_mnist}
  optimizer: {name: adam}
YAML
}

explain() { "$ddpsubmit" render run.yaml --explain resources.nodes=4 fault_tolerance.signal_lead=5m "$@"; }

@test "the script with the origin of every line, as a person reads it" {
  # Lines with paths are padded by the length of the real ones; the values below the script are another test's.
  explain | sed -E 's/^(#SBATCH --chdir=[^ ]*) +#/\1  #/; /^# Values that the script does not show:$/q' | with_stable_paths >rendered
  compare_with_golden explained.txt
}

@test "without the comments it is the script" {
  diff <(explain | sed '/^# Values that the script does not show:$/,$d' | sed -E 's/ *  # [a-z][^#]*$//') \
    <("$ddpsubmit" render run.yaml resources.nodes=4 fault_tolerance.signal_lead=5m; echo)
}

@test "every value of the spec is in a line or in the table below" {
  explain >explained
  for key in $("$ddpsubmit" render run.yaml --explain launcher=local resources.nodes=1 | cut -d ' ' -f 1); do
    echo "$key"
    grep -qF "$key" explained
  done
}

# origin LINE-START: the origins of a line as JSON, without their columns.
origin() { jq -c --arg start "$1" '.lines[] | select(.line | startswith($start)) | .origins | map([.kind, .path, .line])' explained.json; }

@test "the same as JSON" {
  explain --json >explained.json
  [ "$(jq -r '[.lines[].line] | join("\n")' explained.json)" = "$("$ddpsubmit" render run.yaml resources.nodes=4 fault_tolerance.signal_lead=5m)" ]
  [ "$(origin '#SBATCH --nodes')" = '[["command_line","resources.nodes",null]]' ]
  [ "$(origin '#SBATCH --time')" = '[["file","resources.time",4]]' ]
  [ "$(origin '#SBATCH --account')" = '[["user","slurm.account",3]]' ]
  [ "$(origin '#SBATCH --mem')" = '[["preset","resources.memory",8]]' ]
  [ "$(origin '#SBATCH --no-requeue')" = '[["default","fault_tolerance.requeue",null]]' ]
  [ "$(origin 'export OMP')" = '[["file","environment.setup[1]",12]]' ]
  [ "$(origin '#SBATCH --open-mode')" = '[["ddpsubmit",null,null]]' ]
  [ "$(jq -r '[.lines[] | select(.line != "" and .origins == [])] | length' explained.json)" = 0 ]
  [ "$(jq -r '.lines[] | select(.line | startswith("#SBATCH --mem")) | .origins[0].file' explained.json)" -ef "$SOURCE_DIR/configs/compute/h100_2x8.yaml" ]
}

@test "the lines of a template of one's own come from it" {
  printf '#!/bin/sh\n{{#directives}}\n#SBATCH {{{.}}}\n{{/directives}}\nexec {{agent}} head --run-dir {{run_dir}} --node here\n' >own.mustache
  explain slurm.template=own.mustache --json >explained.json
  [ "$(origin '#!')" = '[["command_line","slurm.template",null]]' ]
  [ "$(origin '#SBATCH --account')" = '[["user","slurm.account",3]]' ]
}

@test "the example of a user.yaml is one" {
  cp "$SOURCE_DIR/configs/user.yaml.example" "$XDG_CONFIG_HOME/ddpsubmit/user.yaml"
  explain --json >explained.json
  [ "$(jq -c '[.lines[].origins[] | select(.kind == "user") | .path] | unique' explained.json)" = \
    '["run_root","slurm.account","slurm.mail_type","slurm.mail_user","slurm.partition"]' ]
}

# requeue_line [ARGUMENT...]: the option in the script, and where it is from.
requeue_line() { "$ddpsubmit" render run.yaml --explain "$@" | sed -nE 's/^#SBATCH --((no-)?requeue) +# .*\((.*)\)$/\1 \3/p'; }

@test "requeue: each layer has the last word over those below" {
  [ "$(requeue_line)" = 'no-requeue default' ]
  sed -i 's|^include: .*|include: [compute/h100_2x8.yaml, compute/requeue_on.yaml]|' run.yaml
  [ "$(requeue_line)" = 'requeue preset compute/requeue_on.yaml:2' ]
  echo 'fault_tolerance: {requeue: false}' >>"$XDG_CONFIG_HOME/ddpsubmit/user.yaml"
  [ "$(requeue_line)" = "no-requeue $XDG_CONFIG_HOME/ddpsubmit/user.yaml:5" ]
  echo 'fault_tolerance: {requeue: true}' >>run.yaml
  [ "$(requeue_line)" = 'requeue run.yaml:18' ]
  [ "$(requeue_line +include=compute/requeue_off.yaml)" = 'no-requeue preset compute/requeue_off.yaml:2' ]
  [ "$(requeue_line +include=compute/requeue_off.yaml fault_tolerance.requeue=true)" = 'requeue command line' ]
}
