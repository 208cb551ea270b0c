# The batch script: its text, what bash makes of it, and how it is handed to sbatch.

load ../support/fake_slurm

setup() { use_fake_slurm; }

odd_values=(
  'slurm.partition=a40,v100'
  'slurm.constraint=a100&ib|h100'
  'slurm.reservation=May & June #1'
  'slurm.gres=gpu:a40:4'
  'slurm.options={contiguous: "", nice: "100"}'
  slurm.exclusive=user
  'slurm.comment="{\"team\": \"it'\''s us\", \"cost\": \"5 \\\\ 2\"}"'
  'slurm.dependency=afterok:12,singleton'
  'slurm.srun_options={container-image: "my image.sqsh", overlap: ""}'
  'slurm.setup=[module load "cuda/13"]'
  'environment.setup=[export FROM_SETUP="a b"]'
  'resources.memory=64GiB'
)

@test "the script of a trainer, as a person reads it" {
  "$ddpsubmit" render "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=slurm resources.nodes=2 | with_stable_paths >rendered
  compare_with_golden trainer.sbatch
}

@test "the script with everything that needs quotes" {
  "$ddpsubmit" render "$SOURCE_DIR/examples/who_am_i.yaml" launcher=slurm resources.nodes=2 "${odd_values[@]}" |
    with_stable_paths >rendered
  compare_with_golden odd_values.sbatch
}

@test "shellcheck finds nothing in it" {
  for overrides in launcher=slurm "${odd_values[*]@Q}"; do
    eval "\"\$ddpsubmit\" render \"\$SOURCE_DIR/examples/who_am_i.yaml\" launcher=slurm $overrides" >rendered
    shellcheck rendered
  done
}

@test "run, it becomes head on the first node, after the setup lines" {
  submit "$SOURCE_DIR/examples/who_am_i.yaml" 'slurm.setup=[export FROM_SLURM=1]' 'environment.setup=[export FROM_SETUP="a b"]'
  execute_script
  diff <(printf '%s\n' head --run-dir "$run_folder" --node node1) slurm/agent.argv
  grep -qx 'FROM_SLURM=1' slurm/agent.env
  grep -qx 'FROM_SETUP=a b' slurm/agent.env
}

@test "signals during its setup do not end it" {
  submit "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" 'slurm.setup=["kill -TERM $$", "kill -USR2 $$"]'
  execute_script
  [ -s slurm/agent.argv ]
}

@test "it ends when a setup line fails, or the nodes are not known" {
  submit "$SOURCE_DIR/examples/who_am_i.yaml" 'slurm.setup=["false"]'
  run execute_script
  [ "$status" -eq 1 ]
  run env SLURM_JOB_NODELIST='?' bash "$run_folder/script.sbatch"
  [ "$status" -eq 1 ]
  [ ! -e slurm/agent.argv ]
}

@test "sbatch gets as arguments what the script records" {
  submit "$SOURCE_DIR/examples/who_am_i.yaml" "${odd_values[@]}"
  # sbatch reads quotes and backslashes as bash does.
  eval "recorded=($(sed -n 's/^#SBATCH //p' "$run_folder/script.sbatch" | tr '\n' ' '))"
  diff <(printf '%s\n' --parsable "${recorded[@]}" "$run_folder/script.sbatch") slurm/sbatch.argv
}

@test "a template of one's own takes the place of the built-in one" {
  printf '#!/bin/sh\n{{#directives}}\n#SBATCH {{{.}}}\n{{/directives}}\nexec {{agent}} head --run-dir {{run_dir}} --node here\n' >own.mustache
  submit "$SOURCE_DIR/examples/who_am_i.yaml" "slurm.template=$PWD/own.mustache"
  execute_script
  grep -qx here slurm/agent.argv
  echo '{{no_such_thing}}' >own.mustache
  run submit "$SOURCE_DIR/examples/who_am_i.yaml" "slurm.template=$PWD/own.mustache"
  [ "$status" -eq 3 ]
  [[ $output == *"own.mustache: unknown variable 'no_such_thing'"* ]]
}
