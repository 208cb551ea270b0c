# build PRESET [CMAKE_ARGUMENT...]: all of it, or what is in build_targets. With the sysroot of install_sysroot, if there is one.

# shellcheck disable=SC2154 # install_sysroot sets sysroot

build_targets=()

build() {
  local preset=$1 fresh=() wanted=$sysroot argument
  for argument in "$@"; do
    [[ $argument != -DDDP_SYSROOT=* ]] || wanted=${argument#*=}
  done
  step "Configuring build/$preset"
  # CMake does not change the compiler and the sysroot of a folder that it has configured.
  [[ ! -e build/$preset/CMakeCache.txt ]] || grep -qxF "DDP_SYSROOT:PATH=$wanted" "build/$preset/CMakeCache.txt" || fresh=(--fresh)
  cmake "${fresh[@]}" --preset "$preset" -DDDP_SYSROOT="$wanted" "${@:2}"
  step "Building build/$preset with $(nproc) jobs"
  cmake --build --preset "$preset" --parallel "$(nproc)" ${build_targets:+--target "${build_targets[@]}"}
}
