# What ddpsubmit makes of batch scripts: the configuration, which is valid, or all that it refuses. GOLDEN_WRITE=1 writes the texts anew,
# to be read before they are committed. import/sources.md says where the scripts come from.

load ../support/fake_slurm

setup() { use_fake_slurm; }

scripts=$SOURCE_DIR/tests/golden/import

# compare NAME: what was printed for the script NAME, in FILE, with the text beside the script.
compare() {
  if [[ -n ${GOLDEN_WRITE-} ]]; then cp "$2" "$scripts/$2"; fi
  diff -u "$scripts/$2" "$2"
}

@test "each script gives its configuration, which is valid, or its errors" {
  cd "$BATS_TEST_TMPDIR"
  cp "$scripts"/*.sbatch .
  for script in *.sbatch; do
    name=${script%.sbatch}
    if "$ddpsubmit" import "$script" >"$name.yaml" 2>"$name.errors"; then
      compare "$name" "$name.yaml"
      "$ddpsubmit" validate "$name.yaml"
      [ ! -e "$scripts/$name.errors" ]
    else
      [ $? -eq 3 ]
      [ ! -s "$name.yaml" ]
      compare "$name" "$name.errors"
    fi
  done
}

@test "each script is in the list of sources" {
  for script in "$scripts"/*.sbatch; do grep -F "\`$(basename "$script" .sbatch)\`" "$scripts/sources.md"; done
}

@test "the value of a key or token is not in the configuration, and a note says so" {
  "$ddpsubmit" import "$scripts/isambard_gpus.sbatch" >made.yaml 2>said
  [ "$(grep -c 0123456789abcdef made.yaml)" -eq 0 ]
  grep -F 'note: line 14: the value of WANDB_API_KEY is not in the YAML' said
}

@test "-o writes a file, and replaces none" {
  "$ddpsubmit" import "$scripts/guide_tasks.sbatch" -o made.yaml | grep -F 'next: ddpsubmit validate made.yaml'
  "$ddpsubmit" import "$scripts/guide_tasks.sbatch" | diff made.yaml -
  run "$ddpsubmit" import "$scripts/guide_tasks.sbatch" -o made.yaml
  [ "$status" -eq 2 ]
  [[ $output == *"'made.yaml' exists"* ]]
}

@test "a file that cannot be read is an error" {
  run "$ddpsubmit" import no.sbatch
  [ "$status" -ne 0 ]
  [[ $output == *no.sbatch* ]]
  run "$ddpsubmit" import .
  [ "$status" -eq 2 ]
  [[ $output == *"'.' is a folder"*'name a batch script'* ]]
}

@test "the page prints what is made of its script" {
  page=$SOURCE_DIR/docs/import.md
  awk '/^```/ { keeps = 0 } keeps; /^#!/ && last == "```sh" { print; keeps = 1 } { last = $0 }' "$page" >digits.sbatch
  awk '/^```/ { keeps = 0 } keeps; /^```yaml/ { keeps = 1 }' "$page" >page.yaml
  "$ddpsubmit" import digits.sbatch | grep -v '^# \(ddpsubmit import made\|lines without a key\)' | diff page.yaml -
}
