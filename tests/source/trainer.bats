# All of the source, as a release is built, with newer compilers and libraries.

load ../support/debian
load build_source

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  write_two_files
}

# shellcheck disable=SC2016
trains_on() {
  build_source "$1" -DDDP_LIBTORCH="$LIBTORCH"
  in_debian "$1" 'build/bin/ddpsubmit run hello.yaml | grep "rank 1 of 2"
    build/bin/ddpsubmit run run.yaml run_root="$PWD/there"'
  trained_alike "$(parameters_in there)"
}

@test "Debian 13: all of it compiles without a warning, and trains to the same bytes" {
  trains_on trixie
}

@test "Debian sid: so it does" {
  trains_on sid
}
