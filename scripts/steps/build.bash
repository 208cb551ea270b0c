# build PRESET [CMAKE_ARGUMENT...]: all of it, or what is in build_targets.

build_targets=()

build() {
  local preset=$1
  step "Configuring build/$preset"
  cmake --preset "$@"
  step "Building build/$preset with $(nproc) jobs"
  cmake --build --preset "$preset" --parallel "$(nproc)" ${build_targets:+--target "${build_targets[@]}"}
}
