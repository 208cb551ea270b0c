# The source on Debian 13, whose compiler and libraries are newer.

load ../support/debian
load build_source

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  write_two_files
}

@test "Debian 13: the programs compile without a warning, and run a program of one's own" {
  unset LIBTORCH
  # Without the optimizer it takes half as long; the nightly lane builds as a release is built.
  build_source trixie -DDDP_BUILD_TRAINER=OFF -DCMAKE_CXX_FLAGS_RELEASE=-O0
  in_debian trixie 'build/bin/ddpsubmit run hello.yaml | grep "rank 1 of 2"'
}
