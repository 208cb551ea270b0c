# ccache gives the objects of one clone to another, in another folder: they must be what that clone compiles itself.

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  command -v ccache || skip 'ccache is not installed'
  export CCACHE_DIR=$PWD/cache
  unset CCACHE_DISABLE
  mkdir first another_name
  for clone in first another_name; do
    cp -r "$SOURCE_DIR"/{CMakeLists.txt,LICENSE,cmake,configs,jobenv,trainer} "$clone"
  done
}

# objects_of CLONE ccache|compiler TYPE [CMAKE_ARGUMENT...]: the checksums of the objects of a build.
objects_of() (
  local -A use=([ccache]=ON [compiler]=OFF)
  cd "$1" || exit
  rm -rf build
  cmake -G Ninja -B build -DDDP_CCACHE="${use[$2]}" -DCMAKE_BUILD_TYPE="$3" "${@:4}" \
    -DDDP_BUILD_CLI=OFF -DDDP_BUILD_TRAINER=OFF -DDDP_BUILD_TESTS=OFF >&2
  cmake --build build --target ddp_jobenv >&2
  cd build || exit
  find . -name '*.o' -exec sha256sum {} + | sort -k 2
)

all_were_found() {
  ccache --print-stats | awk '$1 ~ /_cache_hit$/ { hits += $2 } $1 == "cache_miss" { misses = $2 } END { exit misses == 0 || hits != misses }'
}

@test "a release has the same objects in two folders and without ccache, and all of the second one are found" {
  objects_of first ccache Release >compiled
  objects_of another_name ccache Release >found
  all_were_found
  objects_of another_name compiler Release >without
  [ -s compiled ]
  diff compiled found
  diff compiled without
}

@test "a build with debug information has the same objects in two folders" {
  objects_of first ccache RelWithDebInfo >compiled
  objects_of another_name ccache RelWithDebInfo >found
  all_were_found
  diff compiled found
  rm -rf "$CCACHE_DIR"
  objects_of another_name ccache RelWithDebInfo >compiled_there
  diff compiled compiled_there
}

@test "several files as one, with UBSan, which knows their paths: no clone gets the paths of another" {
  objects_of first ccache RelWithDebInfo -DDDP_SANITIZE=undefined -DCMAKE_UNITY_BUILD=ON
  objects_of another_name ccache RelWithDebInfo -DDDP_SANITIZE=undefined -DCMAKE_UNITY_BUILD=ON
  grep -rqF "$PWD/another_name" another_name/build --include='*.o'
  run grep -rlF "$PWD/first" another_name/build --include='*.o'
  [ "$status" -eq 1 ]
}
