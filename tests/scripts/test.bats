# The lanes of scripts/test, as far as they can be told without building anything.

@test "without a GPU its tests are refused before anything is installed" {
  [ ! -e /dev/nvidia0 ] || skip "this machine has a GPU"
  run "$SOURCE_DIR/scripts/test" --gpu
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "error: no NVIDIA GPU here" ]
  [ "${#lines[@]}" -eq 2 ]
}

@test "the lanes are named in the usage" {
  run "$SOURCE_DIR/scripts/test" --help
  [ "$status" -eq 0 ]
  [[ $output == *'[--peers | --gpu]'* ]]
}

@test "an unknown benchmark is refused before anything is installed, and all are named" {
  run "$SOURCE_DIR/scripts/bench" walk
  [ "$status" -eq 2 ]
  [[ "$output" == *"unknown argument 'walk'"*"submit start first_collective"*"rendezvous gpu"* ]]
}
