# ccache gives the objects of one clone to another, in another folder: they must be what that clone compiles itself.

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  command -v ccache || skip 'ccache is not installed'
  unset "${!CCACHE_@}"
  export CCACHE_DIR=$PWD/cache CC=/usr/bin/gcc CXX=/usr/bin/g++
}

# small_project FOLDER: a program with a precompiled header, built as the repository is.
small_project() {
  mkdir -p "$1"
  cat >"$1/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C CXX)
list(APPEND CMAKE_MODULE_PATH $ENV{SOURCE_DIR}/cmake)
include(BuildSettings)
include(Ccache)
add_executable(small main.cpp sum.cpp)
target_include_directories(small PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(small PRIVATE ddp_settings)
target_precompile_headers(small PRIVATE <numbers.hpp>)
END
  write_numbers "$1" 1 1
  printf '%s\n' 'int values[2] = {1, 2};' 'int sum(int a, int b) { return a + b + values[a]; }' >"$1/sum.cpp"
  printf '%s\n' '#include <cstdio>' 'int main() { std::printf("%d %d\n", MACRO, function()); }' >"$1/main.cpp"
}

# write_numbers FOLDER MACRO FUNCTION
write_numbers() { printf '#define MACRO %d\ninline int function() { return %d; }\n' "$2" "$3" >"$1/numbers.hpp"; }

# build FOLDER TARGET [CMAKE_ARGUMENT...]
build() { cmake -G Ninja -S "$1" -B "$1/build" "${@:3}" >&2 && cmake --build "$1/build" --target "$2" >&2; }

# objects_of FOLDER: their names and checksums.
objects_of() { (cd "$1/build" && find . -name '*.o' -exec sha256sum {} + | sort -k 2); }

all_were_found() {
  ccache --print-stats |
    awk '$1 ~ /_cache_hit$/ { hits += $2 } $1 == "cache_miss" { misses = $2 } END { exit misses == 0 || hits != misses }'
}

@test "a library of a release has the same objects in two folders and without ccache, and all of the second one are found" {
  for clone in first another_name without; do
    mkdir "$clone"
    cp -r "$SOURCE_DIR"/{CMakeLists.txt,LICENSE,cmake,configs,jobenv,trainer} "$clone"
    echo 'extern const char* const place_of_this_file = __FILE__;' >>"$clone/jobenv/src/error.cpp"
    use=ON
    [ "$clone" != without ] || use=OFF
    build "$clone" ddp_jobenv -DDDP_CCACHE="$use" -DCMAKE_BUILD_TYPE=Release \
      -DDDP_BUILD_CLI=OFF -DDDP_BUILD_TRAINER=OFF -DDDP_BUILD_TESTS=OFF
    objects_of "$clone" >"$clone.objects"
    [ "$clone" != another_name ] || all_were_found
  done
  [ -s first.objects ]
  diff first.objects another_name.objects
  diff first.objects without.objects
}

@test "a build with debug information has the same objects in two folders" {
  for clone in first another_name; do
    small_project "$clone"
    build "$clone" small -DDDP_CCACHE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
    objects_of "$clone" >"$clone.objects"
  done
  all_were_found
  [ -s first.objects ]
  diff first.objects another_name.objects
  rm -r cache another_name/build
  build another_name small -DDDP_CCACHE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
  objects_of another_name | diff first.objects -
  rm -r cache another_name/build
  cmake -G Ninja -S another_name -B another_name/build/deeper -DDDP_CCACHE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
  cmake --build another_name/build/deeper
  objects_of another_name | sed 's| ./deeper| .|' | diff first.objects -
}

@test "a build folder outside the clone does not show in the objects" {
  small_project clone
  cmake -G Ninja -S clone -B outside -DDDP_CCACHE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
  cmake --build outside
  run grep -rlF "$PWD" outside --include='*.o'
  [ "$status" -eq 1 ]
}

@test "several files as one, with a sanitizer, which writes their paths: no clone gets the paths of another" {
  for sanitizer in undefined address; do
    for clone in first another_name; do
      small_project "$clone-$sanitizer"
      build "$clone-$sanitizer" small -DDDP_CCACHE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo -DDDP_SANITIZE="$sanitizer" -DCMAKE_UNITY_BUILD=ON
    done
    grep -rqF "$PWD/another_name-$sanitizer" "another_name-$sanitizer/build" --include='*.o'
    run grep -rlF "$PWD/first-$sanitizer" "another_name-$sanitizer/build" --include='*.o'
    [ "$status" -eq 1 ]
  done
}

@test "a precompiled header follows its text and its macros, in whichever order the clones have had them" {
  for clone in first another_name; do
    small_project "$clone"
    build "$clone" small -DDDP_CCACHE=ON -DCMAKE_BUILD_TYPE=Release
  done
  while read -r clone macro function; do
    write_numbers "$clone" "$macro" "$function"
    build "$clone" small
    [ "$("$clone/build/small")" = "$macro $function" ]
  done <<END
another_name 2 1
another_name 2 2
first 2 2
another_name 1 1
first 3 2
END
}
