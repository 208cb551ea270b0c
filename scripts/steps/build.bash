# build PRESET [CMAKE_ARGUMENT...]

build() {
  local preset=$1
  step "Configuring build/$preset"
  cmake --preset "$@"
  step "Building build/$preset with $(nproc) jobs"
  cmake --build --preset "$preset" --parallel "$(nproc)"
}
