# What is installed starts on other machines, and says nothing of the one that it was built on.

bats_require_minimum_version 1.5.0

judge() { "$SOURCE_DIR/tests/package/portable" "$@"; }

# For this machine alone, with whatever symbols it has.
compile() { gcc-12 -x c - -o "$1" "${@:2}"; }

setup_file() {
  export PREFIX=$BATS_FILE_TMPDIR/prefix
  local component
  for component in programs trainer development; do
    "$CMAKE" --install "$BINARY_DIR" --prefix "$PREFIX" --component "$component" >"$BATS_FILE_TMPDIR/install.log"
  done
}

@test "what is installed needs no more than manylinux_2_28 has, and names no folder of the build" {
  [ -n "$SYSROOT" ] || skip 'the programs are built for this machine alone, without DDP_SYSROOT'
  [ -x "$PREFIX/bin/ddpsubmit" ]
  [ -x "$(echo "$PREFIX"/libexec/ddpsubmit/torch-*/ddptrain)" ]
  judge "$PREFIX" "$SOURCE_DIR" "$BINARY_DIR" "$LIBTORCH" "$SYSROOT" "$HOME/" "$PREFIX"
}

@test "a symbol that is too new is found" {
  mkdir "$BATS_TEST_TMPDIR/new"
  compile "$BATS_TEST_TMPDIR/new/program" <<<'#include <stdlib.h>
int main(void) { return (int)arc4random(); }'
  run judge "$BATS_TEST_TMPDIR/new"
  [ "$status" -eq 1 ]
  [[ $output == *"/new/program: needs GLIBC_2.36"* ]]
}

@test "start code that calls no constructors on older machines is found" {
  mkdir "$BATS_TEST_TMPDIR/start"
  compile "$BATS_TEST_TMPDIR/start/program" <<<'int main(void) { return 0; }'
  run judge "$BATS_TEST_TMPDIR/start"
  [[ $output == *"has start code that runs no constructors"* ]]
}

@test "an absolute run path is found, and a folder of the build" {
  mkdir "$BATS_TEST_TMPDIR/bound"
  # shellcheck disable=SC2016 # the loader's own variable
  compile "$BATS_TEST_TMPDIR/bound/program" -Wl,-rpath,/opt/lib -Wl,-rpath,'$ORIGIN/lib' <<<'int main(void) { return 0; }'
  run judge "$BATS_TEST_TMPDIR/bound" /opt/li
  [ "$status" -eq 1 ]
  [[ $output == *"has the run path '/opt/lib'"*"holds '/opt/li'"* ]]
  [[ $output != *ORIGIN* ]]
}
