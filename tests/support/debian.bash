# Other releases of Debian, for the tests of what has to run or to compile there.

# shellcheck source=tests/support/run_records.bash
source "${BASH_SOURCE[0]%/*}/run_records.bash"

# in_debian RELEASE SCRIPT [ARGUMENT...]: a script of bash, as root of a fresh chroot with the packages of NEEDS, in the folder of the test.
# It reads LIBTORCH and PACKAGES, where they are set, and writes into the folders of WRITABLE.
in_debian() {
  local chroot path shared=()
  chroot=$("$SOURCE_DIR/tests/chroots/make" "$1" "${NEEDS[@]}") || return
  for path in ${PACKAGES:+"$PACKAGES"} ${LIBTORCH:+"$LIBTORCH" "${LIBTORCH%/*}"}; do
    shared+=(--bind-ro "$path")
  done
  for path in "$BATS_TEST_TMPDIR" "${WRITABLE[@]}"; do
    shared+=(--bind "$path")
  done
  "$SOURCE_DIR/tests/chroots/run" "${shared[@]}" "$chroot" \
    env SOURCE_DIR="$SOURCE_DIR" PACKAGES="${PACKAGES:-}" LIBTORCH="${LIBTORCH:-}" \
    bash -euo pipefail -c "cd '$BATS_TEST_TMPDIR'; $2" bash "${@:3}"
}

# trained_alike FILE: it holds the parameters that run.yaml gives with the build itself, on this machine.
trained_alike() {
  [[ -d here ]] || "$DDPSUBMIT" run run.yaml run_root="$PWD/here"
  cmp "$(parameters_in here)" "$1"
}

# hello.yaml prints a line for each of two ranks; run.yaml trains on two.
write_two_files() {
  cp "$SOURCE_DIR/configs/synthetic_mlp.yaml" run.yaml
  printf '%s\n' 'name: hello' 'launcher: local' 'resources: {tasks_per_node: 2}' \
    "command: [sh, -c, 'echo rank \$RANK of \$WORLD_SIZE']" >hello.yaml
}
