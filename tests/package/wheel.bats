# The wheels, installed by pip into environments of Python.

bats_require_minimum_version 1.5.0

load ../support/readme
load ../support/run_records

# An environment beside which LibTorch's wheel is unpacked, as pip would: lib/python3.N/site-packages/torch.
make_environment() {
  /usr/bin/python3 -m venv "$1"
  ln -s "$LIBTORCH" "$(packages_of "$1")/torch"
}

packages_of() { echo "$1"/lib/python3.*/site-packages; }

# install ENVIRONMENT [WHEEL...]: all of them, if none is named.
install() {
  local environment=$1
  shift
  (($# > 0)) || set -- "$WHEELS"/*.whl
  "$VENV/bin/pip" --disable-pip-version-check --python "$environment/bin/python" install --quiet --no-index --no-deps "$@"
}

configuration() { cat "$SOURCE_DIR/configs/synthetic_mlp.yaml"; }

setup_file() {
  [ -n "$SYSROOT" ] || skip 'the programs are built for this machine alone, without DDP_SYSROOT'
  export WHEELS=$BATS_FILE_TMPDIR/wheels VENV=$BATS_FILE_TMPDIR/venv XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
  "$SOURCE_DIR/scripts/package" --build="$BINARY_DIR" --output="$WHEELS" wheels >"$BATS_FILE_TMPDIR/package.log"
  make_environment "$VENV"
  install "$VENV"
}

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  configuration >run.yaml
  unset VIRTUAL_ENV CONDA_PREFIX LD_LIBRARY_PATH
}

@test "the programs are on the path of the environment, and no Python runs them" {
  local program
  for program in ddpsubmit ddp-agent; do
    [ "$(head -c 4 "$VENV/bin/$program" | tr -d '\0')" = $'\x7fELF' ]
  done
  run env -i PATH="$VENV/bin" ddpsubmit --version
  [ "$status" -eq 0 ]
}

@test "manual pages and completions are in the share folder of the environment" {
  [ -s "$VENV/share/man/man1/ddpsubmit.1" ] && [ -s "$VENV/share/man/man5/ddpsubmit.yaml.5" ]
  [ -s "$VENV/share/bash-completion/completions/ddpsubmit" ] && [ -s "$VENV/share/zsh/site-functions/_ddpsubmit" ]
  [ -s "$VENV/share/fish/vendor_completions.d/ddpsubmit.fish" ]
}

@test "a Python program of the environment imports the package, and is stopped after the same step" {
  cat >program.py <<'PYTHON'
import time, ddpsubmit
for n in range(1, 100000):
    time.sleep(0.01)
    ddpsubmit.step(n, 100000)
    if ddpsubmit.should_stop():
        ddpsubmit.stop_here()
PYTHON
  cat >python.yaml <<YAML
resources: {tasks_per_node: 2, time: 10s}
command: [$VENV/bin/python, program.py]
YAML
  run "$VENV/bin/ddpsubmit" run python.yaml
  [ "$status" -eq 1 ]
  [[ $output == *"reached its time limit; all ranks stopped on request at step"* ]]
}

@test "two ranks train with the torch of the environment, to the bytes of the build" {
  "$VENV/bin/ddpsubmit" run run.yaml run_root=installed
  "$DDPSUBMIT" run run.yaml run_root=built
  cmp "$(parameters_in installed)" "$(parameters_in built)"
  jq -e --arg torch "$(packages_of "$VENV")/torch" '.library_folder == $torch + "/lib"' installed/*/plan.json
  run "$VENV/bin/ddpsubmit" render run.yaml --explain
  [[ $output == *"train.libtorch"*"site-packages/torch"*"the environment of ddpsubmit"* ]]
}

@test "README's first two blocks install the wheels and train, as they stand there" {
  [[ $(readme_block 1) == *.whl* ]] || skip 'README names a package, which comes from the network'
  /usr/bin/python3 -m venv reader
  ln -s "$LIBTORCH" "$(packages_of reader)/torch"
  cp "$WHEELS"/*.whl .
  export PATH=$PWD/reader/bin:$PATH PIP_NO_INDEX=1 PIP_NO_DEPS=1
  bash -euo pipefail -c "$(readme_block 1)"
  run bash -euo pipefail -c "$(readme_block 2)"
  [ "$status" -eq 0 ]
  [[ $output == *"epoch 5  test loss"*"run first-"*" succeeded in "* ]]
}

@test "torch of another environment is found by VIRTUAL_ENV, and by train.libtorch" {
  /usr/bin/python3 -m venv --without-pip alone
  install alone
  for verb in run validate; do
    run --separate-stderr alone/bin/ddpsubmit "$verb" run.yaml
    [ "$status" -eq 10 ]
    [[ $stderr == *"does not find libtorch_cpu.so"*"was looked for in $PWD/alone, "*"pip install torch==2."* ]]
  done
  VIRTUAL_ENV=$VENV alone/bin/ddpsubmit run run.yaml run_root=by_environment train.max_steps=20
  alone/bin/ddpsubmit run run.yaml run_root=by_key train.max_steps=20 train.libtorch="$LIBTORCH"
  cmp "$(parameters_in by_environment)" "$(parameters_in by_key)"
}

@test "behind set-up lines, VIRTUAL_ENV is asked last" {
  /usr/bin/python3 -m venv --without-pip alone
  install alone
  export VIRTUAL_ENV=$VENV
  alone/bin/ddpsubmit run run.yaml run_root=by_environment train.max_steps=20 'environment.setup=[export MARK=here]'
  jq -e --arg torch "$(packages_of "$VENV")/torch" '.spare_library_folder == $torch + "/lib"' by_environment/*/plan.json
  mkdir empty
  touch empty/libtorch_cpu.so
  run alone/bin/ddpsubmit run run.yaml "environment.setup=[export LD_LIBRARY_PATH=$PWD/empty]" fault_tolerance.max_restarts=0
  [ "$status" -ne 0 ]
  [[ $output == *"$PWD/empty/libtorch_cpu.so: file too short"* ]]
  run alone/bin/ddpsubmit render run.yaml --explain 'environment.setup=[export MARK=here]'
  [[ $output == *"train.libtorch"*"site-packages/torch"*"VIRTUAL_ENV, unless the set-up lines select another LibTorch"* ]]
  unset VIRTUAL_ENV
  run alone/bin/ddpsubmit doctor run.yaml "environment.setup=[export LD_LIBRARY_PATH=$LIBTORCH/lib]"
  [ "$status" -eq 0 ]
  [[ $output == *"the set-up lines may provide them"* ]]
}

@test "an environment that sees the packages of its Python takes the torch there" {
  /usr/bin/python3 -m venv --without-pip alone
  install alone
  mkdir -p python/bin python/lib/python3.11/site-packages
  ln -s "$LIBTORCH" python/lib/python3.11/site-packages/torch
  printf '%s\n' "home = $PWD/python/bin" 'include-system-site-packages = true' >alone/pyvenv.cfg
  alone/bin/ddpsubmit run run.yaml train.max_steps=20
  jq -e --arg python "$PWD/python/" '.library_folder | startswith($python)' runs/*/plan.json
}

@test "what pip installs into a folder runs there" {
  "$VENV/bin/pip" --disable-pip-version-check install --quiet --no-index --no-deps --target "$PWD/target" "$WHEELS"/*.whl
  ln -s "$LIBTORCH" target/torch
  target/bin/ddpsubmit run run.yaml train.max_steps=20
}

@test "each wheel holds its licences, and what is linked in has its notice" {
  local name licences
  for name in ddpsubmit ddpsubmit_trainer; do
    licences=$(echo "$(packages_of "$VENV")/$name"-*.dist-info)/licenses
    cmp "$SOURCE_DIR/LICENSE" "$licences/LICENSE"
    grep -q '^libyaml-cpp-dev (MIT)$' "$licences/NOTICES"
  done
  grep -q '^Requires-Dist: torch==2\.[0-9]*\.[0-9]*$' "$(packages_of "$VENV")"/ddpsubmit_trainer-*.dist-info/METADATA
}

@test "a program of one's own needs no torch" {
  /usr/bin/python3 -m venv --without-pip alone
  install alone "$WHEELS"/ddpsubmit-*.whl
  cat >hello.yaml <<'EOF'
name: hello
launcher: local
resources: {tasks_per_node: 2}
command: [sh, -c, "echo rank $RANK of $WORLD_SIZE"]
EOF
  run alone/bin/ddpsubmit run hello.yaml
  [ "$status" -eq 0 ]
  [[ $output == *"rank 1 of 2"* ]]
  run --separate-stderr alone/bin/ddpsubmit run run.yaml
  [ "$status" -eq 10 ]
  [[ $stderr == *"install ddptrain: pip install "* ]]
}

@test "another version of torch is refused, with the one to install" {
  /usr/bin/python3 -m venv --without-pip other
  install other
  local torch
  torch=$(packages_of other)/torch
  mkdir -p "$torch/lib"
  touch "$torch/lib/libtorch_cpu.so"
  echo "__version__ = '2.99.0'" >"$torch/version.py"
  run --separate-stderr other/bin/ddpsubmit run run.yaml
  [ "$status" -eq 10 ]
  [[ $stderr == *"is torch 2.99.0, and this installation has a ddptrain for torch 2."*"pip install torch==2."* ]]
  run --separate-stderr other/bin/ddpsubmit doctor run.yaml
  [[ $output$stderr == *"is torch 2.99.0, and this installation has a ddptrain for torch 2."* ]]
}

@test "a folder without a torch is one error" {
  run --separate-stderr "$VENV/bin/ddpsubmit" run run.yaml train.libtorch="$PWD"
  [ "$status" -eq 10 ]
  [ "$(grep -c '^error:' <<<"$stderr")" -eq 1 ]
}

@test "pip takes everything away again" {
  local before
  make_environment gone
  before=$(find gone -type f ! -name '*.pyc' | sort)
  install gone
  gone/bin/pip --disable-pip-version-check uninstall --quiet --yes ddpsubmit ddpsubmit-trainer
  diff <(echo "$before") <(find gone -type f ! -name '*.pyc' | sort)
}
