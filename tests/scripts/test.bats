# The lanes of scripts/test, as far as they can be told without building anything.

setup() { cd "$BATS_TEST_TMPDIR" || return; }

@test "without a GPU its tests are refused before anything is installed" {
  [ ! -e /dev/nvidia0 ] || skip "this machine has a GPU"
  run "$SOURCE_DIR/scripts/test" --gpu
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "error: there is no NVIDIA GPU on this machine" ]
  [ "${#lines[@]}" -eq 2 ]
}

@test "the lanes are named in the usage" {
  run "$SOURCE_DIR/scripts/test" --help
  [ "$status" -eq 0 ]
  [[ $output == *'[--fast | --source | --nightly[=STAGE,...] [--resume] | --peers | --gpu]'* ]]
}

@test "cases that needed a second try are named with what the first one said, and more than three of them are a failure" {
  source "$SOURCE_DIR/scripts/steps/lanes.bash"
  mkdir tries
  for case in c a b; do echo "$case has failed" >"tries/slurm_$case.bats: it works"; done
  run tell_second_tries tries
  [ "$status" -eq 0 ]
  [ "${lines[1]}" = '  ==> slurm_a.bats: it works <==' ]
  [ "${lines[2]}" = '  a has failed' ]
  [ "${#lines[@]}" -eq 7 ]
  touch 'tries/ssh_d.bats: it works'
  run tell_second_tries tries
  [ "$status" -eq 1 ]
  run tell_second_tries nothing
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "an unknown benchmark is refused before anything is installed, and all are named" {
  run "$SOURCE_DIR/scripts/bench" walk
  [ "$status" -eq 2 ]
  [[ "$output" == *"unknown argument 'walk'"*"submit start first_collective"*"rendezvous gpu"* ]]
}
