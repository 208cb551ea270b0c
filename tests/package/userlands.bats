# The packages on other releases of Debian, each as small as it gets: NEEDS is what is installed besides.

bats_require_minimum_version 1.5.0

# in_debian RELEASE SCRIPT: as root of a fresh chroot, in the folder of the test.
in_debian() {
  local chroot
  chroot=$("$SOURCE_DIR/tests/chroots/make" "$1" "${NEEDS[@]}") || return
  "$SOURCE_DIR/tests/chroots/run" --bind-ro "$PACKAGES" --bind-ro "$LIBTORCH" --bind-ro "${LIBTORCH%/*}" "$chroot" \
    env PACKAGES="$PACKAGES" LIBTORCH="$LIBTORCH" bash -euo pipefail -c "cd '$BATS_TEST_TMPDIR'; $2"
}

weights() { sha256sum "$BATS_TEST_TMPDIR/$1"/*/checkpoints/LATEST/model.safetensors | cut -d ' ' -f 1; }

# The bytes of a training by the build itself, on this machine.
expected_weights() {
  "$DDPSUBMIT" run run.yaml run_root="$BATS_TEST_TMPDIR/here" >&2
  weights here
}

setup_file() {
  [ -n "$SYSROOT" ] || skip 'the programs are built for this machine alone, without DDP_SYSROOT'
  export PACKAGES=$BATS_FILE_TMPDIR/packages XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
  "$SOURCE_DIR/scripts/package" --build="$BINARY_DIR" --output="$PACKAGES" wheels tarball debian >"$BATS_FILE_TMPDIR/package.log"
}

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  cp "$SOURCE_DIR/configs/synthetic_mlp.yaml" run.yaml
  printf '%s\n' 'name: hello' 'launcher: local' 'resources: {tasks_per_node: 2}' \
    "command: [sh, -c, 'echo rank \$RANK of \$WORLD_SIZE']" >hello.yaml
}

# shellcheck disable=SC2016
install_wheels='
python3 -m venv venv
ln -s "$LIBTORCH" "$(echo venv/lib/python3.*/site-packages)/torch"
venv/bin/pip --disable-pip-version-check install --quiet --no-index --no-deps "$PACKAGES"/*.whl'

wheels_train_on() {
  NEEDS=(python3-venv python3-pip)
  in_debian "$1" "$install_wheels
    venv/bin/ddpsubmit run hello.yaml | grep 'rank 1 of 2'
    venv/bin/ddpsubmit run run.yaml run_root=$BATS_TEST_TMPDIR/there"
  [ "$(weights there)" = "$(expected_weights)" ]
}

@test "Debian 11: the wheel runs a program of one's own" {
  NEEDS=(python3-venv python3-pip)
  # shellcheck disable=SC2016
  in_debian bullseye '
    python3 -m venv venv
    venv/bin/pip --disable-pip-version-check install --quiet --no-index --no-deps "$PACKAGES"/ddpsubmit-*.whl
    venv/bin/ddpsubmit run hello.yaml | grep "rank 1 of 2"'
}

@test "Debian 11: the tarball trains with an unpacked wheel of torch, to the same bytes" {
  NEEDS=()
  # shellcheck disable=SC2016
  in_debian bullseye '
    tar xf "$PACKAGES"/ddpsubmit-*.tar.gz
    ddpsubmit-*/bin/ddpsubmit render run.yaml launcher=slurm >script
    ddpsubmit-*/bin/ddpsubmit run run.yaml run_root=$PWD/there train.libtorch="$LIBTORCH"'
  grep -q '^#SBATCH --nodes=1' script
  [ "$(weights there)" = "$(expected_weights)" ]
}

@test "Debian 12: the wheels run and train, to the same bytes" {
  wheels_train_on bookworm
}

@test "Debian 12: so do the Debian packages" {
  NEEDS=(libstdc++6)
  # shellcheck disable=SC2016
  in_debian bookworm '
    dpkg --install "$PACKAGES"/ddpsubmit_*.deb "$PACKAGES"/ddpsubmit-trainer_*.deb
    ddpsubmit run run.yaml run_root=$PWD/there train.libtorch="$LIBTORCH"'
  [ "$(weights there)" = "$(expected_weights)" ]
}

@test "Debian 13: the wheels run and train, to the same bytes" {
  wheels_train_on trixie
}

@test "Debian sid: the wheels run and train, to the same bytes" {
  wheels_train_on sid
}

@test "two packings of a build are the same bytes" {
  "$SOURCE_DIR/scripts/package" --build="$BINARY_DIR" --output="$BATS_TEST_TMPDIR/again" >package.log
  diff "$PACKAGES/SHA256SUMS" "$BATS_TEST_TMPDIR/again/SHA256SUMS"
}
