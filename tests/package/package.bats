# Programs of users, built against the installed package, run by the installed ddpsubmit.

bats_require_minimum_version 1.5.0

load ../support/eventually

setup_file() {
  export PREFIX=$BATS_FILE_TMPDIR/prefix XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
  "$CMAKE" --install "$BINARY_DIR" --prefix "$PREFIX" >"$BATS_FILE_TMPDIR/install.log"
  PATH=$PREFIX/bin:$PATH
  local example launcher=()
  if [[ $CCACHE != OFF ]] && command -v ccache >/dev/null; then
    export CCACHE_BASEDIR=$BATS_FILE_TMPDIR CCACHE_NOHASHDIR=1 # each run has a folder of its own
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  for example in custom_model custom_loop; do
    cp -r "$PREFIX/share/ddpsubmit/examples/$example" "$BATS_FILE_TMPDIR/"
    cd "$BATS_FILE_TMPDIR/$example" || return 1
    "$CMAKE" -G "$GENERATOR" -B build -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= "${launcher[@]}" >configure.log
    "$CMAKE" --build build >build.log || { cat build.log; return 1; }
  done
}

setup() { PATH=$PREFIX/bin:$PATH; }

@test "manual pages and completions stand where man and the shells look for them" {
  [ -s "$PREFIX/share/man/man1/ddpsubmit-run.1" ] && [ -s "$PREFIX/share/man/man5/ddpsubmit.yaml.5" ]
  cmp "$PREFIX/share/bash-completion/completions/ddpsubmit" <(ddpsubmit completion bash)
  cmp "$PREFIX/share/zsh/site-functions/_ddpsubmit" <(ddpsubmit completion zsh)
  cmp "$PREFIX/share/fish/vendor_completions.d/ddpsubmit.fish" <(ddpsubmit completion fish)
}

# An empty part of a run path stands for the working folder.
@test "no program looks for its libraries in the folder that it is called in" {
  local folder file path checked=0
  for folder in "$BINARY_DIR/bin" "$PREFIX"/libexec/ddpsubmit/torch-*; do
    for file in "$folder"/{ddptrain,libddp_cuda.so,libddp_mpi.so}; do
      [ -e "$file" ] || continue
      path=$(readelf -d "$file" | sed -n 's/.*(RUNPATH).*\[\(.*\)\]/\1/p')
      echo "$file: $path"
      [[ -n $path && :$path: != *::* ]]
      checked=$((checked + 1))
    done
  done
  [ "$checked" -ge 2 ]
}

@test "the schema of the configuration file is installed, and is that of the program" {
  diff "$PREFIX/share/ddpsubmit/ddpsubmit.schema.json" <(ddpsubmit schema)
}

@test "a program with a model and a dataset of its own trains under train.program" {
  cd "$BATS_FILE_TMPDIR/custom_model" || exit 1
  run ddpsubmit run run.yaml
  [ "$status" -eq 0 ]
  [[ $output =~ epoch\ 20\ \ test\ loss\ 0\.[0-9]+\ \ test\ accuracy\ (0\.9|1\.0) ]]
  jq -es 'map(select(.kind == "evaluate")) | length == 20' runs/spirals-*/metrics.jsonl
}

@test "its options are checked before anything is started, with their place" {
  cd "$BATS_FILE_TMPDIR/custom_model" || exit 1
  sed 's/count: 64/cuont: 64/; s/turns: 2/turns: many/' run.yaml >wrong.yaml
  run --separate-stderr ddpsubmit validate wrong.yaml
  [ "$status" -eq 3 ]
  [[ $stderr == *"unknown key 'cuont'"*"wrong.yaml:8:24"*"did you mean 'count'?"* ]]
  [[ $stderr == *"'turns' must be a number, not 'many'"* ]]
}

@test "what it does not have is refused by name" {
  cd "$BATS_FILE_TMPDIR/custom_model" || exit 1
  run --separate-stderr ddpsubmit validate run.yaml train.model.name=wave
  [ "$status" -eq 3 ]
  [[ $stderr == *"waves"* ]]
}

@test "a program that is no trainer is refused" {
  cd "$BATS_FILE_TMPDIR/custom_model" || exit 1
  run --separate-stderr ddpsubmit validate run.yaml train.program=/bin/true
  [ "$status" -eq 3 ]
  [[ $stderr == *"'/bin/true --components' prints something else"* ]]
}

@test "what only its own code can check is asked of it before a run is made" {
  cd "$BATS_FILE_TMPDIR/custom_model" || exit 1
  sed 's/data: .*/data: {name: fashion_mnist}/; s/spirals/misfit/' run.yaml >misfit.yaml
  run --separate-stderr ddpsubmit run misfit.yaml
  [ "$status" -eq 3 ]
  [[ $stderr == *"'build/spiral_trainer' refuses the configuration"*"'waves' cannot take the samples of 'fashion_mnist': it needs points with 2 values"* ]]
  [ -z "$(find runs -name 'misfit-*')" ]
}

@test "what ddptrain has too is checked as for ddptrain" {
  cd "$BATS_FILE_TMPDIR/custom_model" || exit 1
  sed 's/data: .*/data: {name: fashion_mnist, root: nowhere}/; s/model: .*/model: {name: mlp, input_dim: 5}/' run.yaml >shared.yaml
  run --separate-stderr ddpsubmit validate shared.yaml
  [ "$status" -eq 3 ]
  [[ $stderr == *"input_dim is 5, but a sample has 784 values"* ]]
  run --separate-stderr ddpsubmit validate shared.yaml train.model.input_dim=784
  [ "$status" -eq 10 ]
  [[ $stderr == *"Fashion-MNIST is not in '$PWD/nowhere'"* ]]
}

@test "a program that needs a variable of environment.set is asked with it" {
  cd "$BATS_FILE_TMPDIR/custom_model" || exit 1
  # shellcheck disable=SC2016
  printf '%s\n' '#!/bin/sh' '[ "$WANTED" = yes ] || { echo "WANTED is not set" >&2; exit 1; }' 'exec build/spiral_trainer "$@"' >wrapped
  chmod +x wrapped
  run --separate-stderr ddpsubmit validate run.yaml train.program=./wrapped
  [ "$status" -eq 3 ]
  [[ $stderr == *"'$PWD/wrapped --components' fails: WANTED is not set"* ]]
  ddpsubmit validate run.yaml train.program=./wrapped environment.set.WANTED=yes
}

@test "without the program its own names are unknown, and it is said why" {
  cd "$BATS_FILE_TMPDIR/custom_model" || exit 1
  run --separate-stderr ddpsubmit validate run.yaml train.program=./gone
  [ "$status" -eq 3 ]
  [[ $stderr == *"'name' must be mlp, "*", not 'waves'"* ]]
  [[ $stderr == *"'./gone' cannot be run here, so its --components could not be queried"* ]]
}

@test "an ended run of it is run again" {
  cd "$BATS_FILE_TMPDIR/custom_model" || exit 1
  ddpsubmit run run.yaml name=again train.epochs=2
  sed -i 's/epochs: 2 /epochs: 3 /' runs/again-*/spec.yaml
  run ddpsubmit rerun again
  [ "$status" -eq 0 ]
  [[ $output == *"resumed from step"*"epoch 3"* ]]
}

@test "a loop of its own runs under command:, and alone" {
  cd "$BATS_FILE_TMPDIR/custom_loop" || exit 1
  run ddpsubmit run run.yaml
  [ "$status" -eq 0 ]
  [[ $output == *"epoch 3  loss "* ]]
  run env -i build/custom_loop
  [ "$status" -eq 0 ]
  [[ $output == "epoch 1  loss "* ]]
}

# loop NAME [OPTION...]: a run of so many steps that it can be stopped in the midst of them.
loop() { ddpsubmit run run.yaml "name=$1" 'command=[build/custom_loop, "600"]' "${@:2}"; }
checkpoint_of() { echo runs/"$1"-*/output/checkpoint.pt; }
has_saved() { [[ -s $(checkpoint_of "$1") ]]; }
# Not the bytes of the checkpoint: the addresses of parameters are among them.
last_line() { ddpsubmit logs "$1" --rank 0 --stdout | tail -n 1; }
same_end() { [[ $(last_line whole) == "epoch 600  loss "* && $(last_line whole) == "$(last_line "$1")" ]]; }

@test "stopped and killed, it ends with the loss of one that was not" {
  cd "$BATS_FILE_TMPDIR/custom_loop" || exit 1
  loop whole
  loop stopped --detach
  eventually has_saved stopped
  ddpsubmit cancel stopped
  ddpsubmit rerun stopped
  same_end stopped
  loop killed --detach fault_tolerance.max_restarts=1
  eventually has_saved killed
  kill -9 "$(jq -r 'select(.event == "rank_started" and .rank == 1) | .pid' runs/killed-*/ledger/*.jsonl)"
  ddpsubmit wait killed
  same_end killed
}

@test "the job environment alone needs no LibTorch, and asks for C++20 itself" {
  mkdir -p "$BATS_TEST_TMPDIR/who" && cd "$BATS_TEST_TMPDIR/who" || exit 1
  cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(who CXX)
set(CMAKE_DISABLE_FIND_PACKAGE_JPEG ON)
set(CMAKE_DISABLE_FIND_PACKAGE_PNG ON)
find_package(ddpsubmit REQUIRED COMPONENTS jobenv)
add_executable(who who.cpp)
target_link_libraries(who PRIVATE ddp::jobenv)
EOF
  cat >who.cpp <<'EOF'
#include <cstdio>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/job_environment.hpp"
int main() { std::printf("%d\n", ddp::JobEnvironment::from(ddp::EnvMap::capture()).value().world_size); }
EOF
  "$CMAKE" -G "$GENERATOR" -B build -DCMAKE_PREFIX_PATH="$PREFIX" -DDDP_LIBTORCH="$BATS_TEST_TMPDIR/none"
  "$CMAKE" --build build
  run env -i build/who
  [ "$output" = 1 ]
}

@test "a component that the package does not have is refused by name" {
  mkdir -p "$BATS_TEST_TMPDIR/wrong" && cd "$BATS_TEST_TMPDIR/wrong" || exit 1
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(wrong CXX)\nfind_package(ddpsubmit REQUIRED COMPONENTS jobnev)\n' >CMakeLists.txt
  run "$CMAKE" -G "$GENERATOR" -B build -DCMAKE_PREFIX_PATH="$PREFIX"
  [ "$status" -ne 0 ]
  [[ $output == *jobnev* ]]
}
