# The packages on other releases of Debian, each as small as it gets: NEEDS is what is installed besides. The packages come from this
# build, or from the folder in DDP_PACKAGES if it is set.
# shellcheck disable=SC2016,SC2034 # scripts in single quotes are for the chroot; in_debian reads NEEDS

bats_require_minimum_version 1.5.0

load ../support/debian
load ../support/readme

setup_file() {
  [ -n "$SYSROOT" ] || skip 'the programs are built for this machine alone, without DDP_SYSROOT'
  export PACKAGES=${DDP_PACKAGES:-$BATS_FILE_TMPDIR/packages} XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
  [[ -n ${DDP_PACKAGES:-} ]] || "$SOURCE_DIR/scripts/package" --build="$BINARY_DIR" --output="$PACKAGES" wheels tarball debian >"$BATS_FILE_TMPDIR/package.log"
}

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  write_two_files
  readme_block 2 >first_run
}

install_wheels='
python3 -m venv venv
ln -s "$LIBTORCH" "$(echo venv/lib/python3.*/site-packages)/torch"
venv/bin/pip --disable-pip-version-check install --quiet --no-index --no-deps "$PACKAGES"/*.whl'

wheels_run() {
  NEEDS=(python3-venv python3-pip)
  in_debian "$1" "$install_wheels
    venv/bin/ddpsubmit run hello.yaml | grep 'rank 1 of 2'
    venv/bin/ddpsubmit run run.yaml run_root=$BATS_TEST_TMPDIR/there
    PATH=\$PWD/venv/bin:\$PATH bash -euo pipefail first_run 2>&1 | grep 'run first-.* succeeded in '"
}

wheels_train_on() {
  wheels_run "$1"
  trained_alike "$(parameters_in there)"
}

# wheels_train_in_slurm VERSION: on two nodes of a Slurm, with what wheels_train_on has installed.
wheels_train_in_slurm() {
  "$SOURCE_DIR/tests/rig/slurm_rig" with --nodes 2 --slurm "$1" -- bash -euo pipefail -c '
    venv/bin/ddpsubmit run run.yaml launcher=slurm resources.nodes=2 resources.tasks_per_node=1 run_root="$PWD/slurm"
    venv/bin/ddpsubmit wait last'
  trained_alike "$(parameters_in slurm)"
}

@test "Debian 11: the wheel runs a program of one's own" {
  NEEDS=(python3-venv python3-pip)
  in_debian bullseye '
    python3 -m venv venv
    venv/bin/pip --disable-pip-version-check install --quiet --no-index --no-deps "$PACKAGES"/ddpsubmit-*.whl
    venv/bin/ddpsubmit run hello.yaml | grep "rank 1 of 2"'
}

@test "Debian 11: the tarball trains with an unpacked wheel of torch, to the same bytes" {
  NEEDS=()
  in_debian bullseye '
    tar xf "$PACKAGES"/ddpsubmit-*.tar.gz
    ddpsubmit-*/bin/ddpsubmit render run.yaml launcher=slurm >script
    ddpsubmit-*/bin/ddpsubmit run run.yaml run_root=$PWD/there train.libtorch="$LIBTORCH"'
  grep -q '^#SBATCH --nodes=1' script
  trained_alike "$(parameters_in there)"
}

@test "Debian 12: the wheels run and train, to the same bytes, in its Slurm, too" {
  wheels_train_on bookworm
  wheels_train_in_slurm 22.05
}

@test "Debian 12: so do the Debian packages" {
  NEEDS=(libstdc++6)
  in_debian bookworm '
    dpkg --install "$PACKAGES"/ddpsubmit_*.deb "$PACKAGES"/ddpsubmit-trainer_*.deb
    [ -s /usr/share/man/man1/ddpsubmit-run.1 ] && [ -s /usr/share/zsh/vendor-completions/_ddpsubmit ]
    ddpsubmit run run.yaml run_root=$PWD/there train.libtorch="$LIBTORCH"'
  trained_alike "$(parameters_in there)"
}

@test "Debian 13: the wheels run and train, to the same bytes, in its Slurm, too" {
  wheels_train_on trixie
  wheels_train_in_slurm 24.11
}

@test "Debian 13: beside another torch, its own trainer" {
  [[ -n ${OTHER_LIBTORCH:-} ]] || skip 'the packages have a trainer for one version of torch'
  LIBTORCH=$OTHER_LIBTORCH wheels_run trixie
  local version
  version=$(sed -nE "s/^__version__ = '([0-9.]+).*/\1/p" "$OTHER_LIBTORCH/version.py")
  [[ -n $version ]]
  jq -e --arg version "$version" '[.. | .libtorch?] | contains([$version])' "$(dirname "$(parameters_in there)")/state.json"
}

@test "Debian sid: the wheels run and train, to the same bytes" {
  wheels_train_on sid
}

@test "two packings of a build are the same bytes" {
  [[ -z ${DDP_PACKAGES:-} ]] || skip 'the packages are of another call'
  "$SOURCE_DIR/scripts/package" --build="$BINARY_DIR" --output="$BATS_TEST_TMPDIR/again" >package.log
  diff "$PACKAGES/SHA256SUMS" "$BATS_TEST_TMPDIR/again/SHA256SUMS"
}
