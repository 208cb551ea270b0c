# What scripts/package makes packages with, without a build.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || return; }

notices() { "$SOURCE_DIR/scripts/packaging/notices" "$@"; }

@test "each component has its licences: ours, the texts of what is in it, and one expression for all of it" {
  local component
  for component in programs trainer development; do
    notices "$component" "$component"
    cmp "$SOURCE_DIR/LICENSE" "$component/LICENSE"
    [[ $(cat "$component/SPDX") == 'Apache-2.0 AND '* ]]
    grep -q '^nlohmann-json3-dev (MIT)$' "$component/NOTICES"
  done
  grep -q '^libcli11-dev ' programs/NOTICES
  run ! grep -q '^libcli11-dev ' trainer/NOTICES
  grep -q 'libpng-2.0 AND IJG' trainer/SPDX
  run ! grep -q libpng programs/SPDX development/SPDX
}

@test "an identifier stands once in the expression, and one with an exception in brackets" {
  notices trainer .
  [ "$(grep -o Zlib SPDX | wc -l)" -eq 1 ]
  grep -qF ' AND (GPL-3.0-or-later WITH GCC-exception-3.1)' SPDX
}

@test "another component is refused" {
  run notices tools .
  [ "$status" -eq 2 ]
  [ "$output" = "error: unknown component 'tools'" ]
}

requirement() {
  PYTHONPATH=$SOURCE_DIR/scripts/packaging /usr/bin/python3 -B -c "import wheel; print(wheel.torch_requirement($1))"
}

@test "the trainer's wheel asks for the very version of torch that it starts with" {
  [ "$(requirement '[(2, 11, 0)]')" = torch==2.11.0 ]
}

@test "for several versions of torch it asks for a range without those between" {
  [ "$(requirement '[(2, 13, 1), (2, 11, 0)]')" = \
    'torch>=2.11.0,<=2.13.1,!=2.11.1,!=2.11.2,!=2.11.3,!=2.11.4,!=2.11.5,!=2.12.*,!=2.13.0' ]
}
