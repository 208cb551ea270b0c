# scripts/setup with a dpkg-query that misses packages and an apt-get that only says what it was asked.
# shellcheck disable=SC2016  # the scripts in single quotes are those of the fakes

setup() {
  # Readable for everybody: one test runs as nobody.
  workplace=$(mktemp -d)
  chmod 755 "$workplace"
  cp -r "$SOURCE_DIR/scripts" "$workplace"
  mkdir "$workplace/bin"
  fake dpkg-query '/usr/bin/dpkg-query "$@" | grep -v -x -e "installed ninja-build" -e "installed bats"'
  fake apt-get 'echo "apt-get $*"'
  export PATH=$workplace/bin:$PATH XDG_CACHE_HOME=$workplace/cache
}

teardown() { rm -rf "$workplace"; }

fake() {
  printf '#!/bin/bash\n%s\n' "$2" >"$workplace/bin/$1"
  chmod 755 "$workplace/bin/$1"
}

unpacked_libtorch() {
  mkdir -p "$XDG_CACHE_HOME/ddpsubmit/libtorch-2.11.0"
  grep -v '^#' "$workplace/scripts/libtorch/2.11.0-$1.lock" >"$XDG_CACHE_HOME/ddpsubmit/libtorch-2.11.0/wheels.lock"
}

made_sysroot() {
  local parts=$workplace/scripts/steps
  mkdir -p "$(bash -ec 'source "$1/packages.bash"; source "$1/sysroot.bash"; sysroot_folder' bash "$parts")"
}

as_nobody() {
  if ((EUID == 0)); then
    setpriv --reuid=65534 --clear-groups -- "$@"
  else
    "$@"
  fi
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    unshare --map-root-user -- "$@"
  fi
}

@test "without root: the one line that is needed, exit 1" {
  run as_nobody "$workplace/scripts/setup" --tests
  [ "$status" -eq 1 ]
  [[ $output == *'  sudo apt-get install --no-install-recommends bats ninja-build' ]]
}

@test "ccache alone may be missing, without root and where apt has no packages" {
  fake dpkg-query '/usr/bin/dpkg-query "$@" | grep -v -x "installed ccache"'
  unpacked_libtorch cuda
  made_sysroot
  chmod -R a+rwX "$XDG_CACHE_HOME"
  run as_nobody "$workplace/scripts/setup"
  [ "$status" -eq 0 ]
  [[ $output == *'slower without ccache. This installs it: sudo apt-get install ccache'*'[3/3] '* ]]
  [[ $output != *error* ]]
  fake apt-get 'exit 100'
  run as_root "$workplace/scripts/setup"
  [ "$status" -eq 0 ]
  [[ $output == *'apt-get update failed'*'slower without ccache'*'[3/3] '* ]]
}

@test "what the tests need is not asked for by a plain setup" {
  run as_nobody "$workplace/scripts/setup"
  [[ $output == *'--no-install-recommends ninja-build' ]]
}

@test "as root: one apt-get install with what is missing" {
  unpacked_libtorch cuda
  made_sysroot
  run as_root "$workplace/scripts/setup" --tests
  [ "$status" -eq 0 ]
  [[ ${lines[2]} == 'apt-get '*' install --yes --no-install-recommends bats ninja-build' ]]
}

@test "nothing missing: three lines, and nothing is called" {
  fake dpkg-query 'shift 2; printf "installed %s\n" "$@"'
  unpacked_libtorch cuda
  made_sysroot
  run "$workplace/scripts/setup" --tests --peers
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 3 ]
  [[ ${lines[0]} == '[1/3] Debian packages: all '*' are installed' ]]
  [[ ${lines[1]} == "[2/3] LibTorch 2.11.0 for "*": already in $XDG_CACHE_HOME/ddpsubmit/libtorch-2.11.0" ]]
  [[ ${lines[2]} == "[3/3] Sysroot of glibc 2.28: already in $XDG_CACHE_HOME/ddpsubmit/sysroot-glibc-2.28-"* ]]
}

@test "the CUDA set serves where the CPU set is wanted" {
  fake dpkg-query 'shift 2; printf "installed %s\n" "$@"'
  unpacked_libtorch cuda
  made_sysroot
  run "$workplace/scripts/setup"
  [ "$status" -eq 0 ]
  [[ ${lines[1]} == *'already in'* ]]
}

@test "a LibTorch of one's own is taken, and checked to be one" {
  fake dpkg-query 'shift 2; printf "installed %s\n" "$@"'
  mkdir -p "$workplace/own/include" "$workplace/own/lib" "$workplace/empty"
  made_sysroot
  run "$workplace/scripts/setup" "-DDDP_LIBTORCH=$workplace/own"
  [ "$status" -eq 0 ]
  [ "${lines[1]}" = "[2/3] LibTorch: $workplace/own" ]
  run "$workplace/scripts/setup" "-DDDP_LIBTORCH=$workplace/empty"
  [ "$status" -eq 1 ]
  [[ $output == *"'$workplace/empty' is not a LibTorch"* ]]
}

@test "another LibTorch, by its version" {
  fake dpkg-query 'shift 2; printf "installed %s\n" "$@"'
  made_sysroot
  mkdir -p "$XDG_CACHE_HOME/ddpsubmit/libtorch-2.15.0"
  grep -v '^#' "$workplace/scripts/libtorch/2.15.0-cpu.lock" >"$XDG_CACHE_HOME/ddpsubmit/libtorch-2.15.0/wheels.lock"
  run "$workplace/scripts/setup" --torch=2.15.0
  [ "$status" -eq 0 ]
  [ "${lines[1]}" = "[2/3] LibTorch 2.15.0 for CPU: already in $XDG_CACHE_HOME/ddpsubmit/libtorch-2.15.0" ]
  run "$workplace/scripts/setup" --torch=2.15.0 --cuda
  [ "$status" -eq 1 ]
  [[ $output == *'LibTorch 2.15.0 with CUDA cannot be downloaded here'* ]]
  run "$workplace/scripts/setup" --torch=1.0.0
  [ "$status" -eq 1 ]
  [ "$output" = $'error: LibTorch 1.0.0 is not supported here\nSupported versions: 2.11.0 2.15.0' ]
}

@test "an unknown argument is a usage error" {
  run "$workplace/scripts/setup" --cudda
  [ "$status" -eq 2 ]
  [[ $output == "error: unknown argument '--cudda'"* ]]
}
