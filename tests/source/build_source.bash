# build_source RELEASE [CMAKE_ARGUMENT...]: into build/, with the compiler and the libraries of a release of Debian, warnings as errors.
# shellcheck disable=SC2034 # NEEDS is read by in_debian
build_source() {
  mapfile -t NEEDS < <(source "$SOURCE_DIR/scripts/steps/packages.bash" && packages_of source | tr ' ' '\n')
  # shellcheck disable=SC2016 # the inner shell expands it
  in_debian "$1" '
    g++ --version | head -n 1
    cmake -G Ninja -S "$SOURCE_DIR" -B build -DCMAKE_BUILD_TYPE=Release -DDDP_WARNINGS_AS_ERRORS=ON -DDDP_BUILD_TESTS=OFF "$@"
    cmake --build build --parallel "$(nproc)"' "${@:2}"
}
