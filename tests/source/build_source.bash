# build_source RELEASE [CMAKE_ARGUMENT...]: into build/, with the compiler and the libraries of a release of Debian, warnings as errors.
# In the chroot, build/ lies where a clone has it: ccache then finds what another clone has compiled.
# shellcheck disable=SC2034 # NEEDS and WRITABLE are read by in_debian
build_source() {
  mapfile -t NEEDS < <(source "$SOURCE_DIR/scripts/steps/packages.bash" && packages_of source | tr ' ' '\n')
  mkdir -p build "$SOURCE_DIR/build"
  if [[ $CCACHE != OFF ]] && command -v ccache >/dev/null; then
    CCACHE_DIR=$(ccache --get-config cache_dir)
    CCACHE_MAXSIZE=$(ccache --get-config max_size)
    export CCACHE_DIR CCACHE_MAXSIZE
    WRITABLE=("$CCACHE_DIR")
    mkdir -p "$CCACHE_DIR"
  fi
  # shellcheck disable=SC2016 # the inner shell expands it
  in_debian "$1" '
    g++ --version | head -n 1
    mount --bind build "$SOURCE_DIR/build"
    cmake -G Ninja -S "$SOURCE_DIR" -B "$SOURCE_DIR/build" -DCMAKE_BUILD_TYPE=Release -DDDP_WARNINGS_AS_ERRORS=ON \
      -DDDP_BUILD_TESTS=OFF "$@"
    cmake --build "$SOURCE_DIR/build" --parallel "$(nproc)"' -DDDP_CCACHE="$CCACHE" "${@:2}"
}
