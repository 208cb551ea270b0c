# LibTorch from pinned wheels: downloaded, checked by sha256, and unpacked once for all clones of the repository.

# use_libtorch VERSION: the one that install_libtorch installs; scripts/libtorch has a list of wheels for each.
use_libtorch() {
  local lists=${BASH_SOURCE[0]%/steps/*}/libtorch
  [[ -f $lists/$1-cpu.lock ]] || die "LibTorch $1 is not supported here" "Supported versions: $(printf '%s\n' "$lists"/*-cpu.lock | sed 's,.*/\(.*\)-cpu.lock,\1,' | xargs)"
  libtorch_version=$1
  libtorch_home=${XDG_CACHE_HOME:-$HOME/.cache}/ddpsubmit/libtorch-$libtorch_version
  libtorch=$libtorch_home/torch       # the folder with include/ and lib/
}
use_libtorch 2.11.0

# install_libtorch cpu|cuda [FOLDER]: with FOLDER, that one is taken as it is.
install_libtorch() {
  local set=$1 given=${2:-}
  if [[ -n $given ]]; then
    [[ -d $given/include && -d $given/lib ]] || die "'$given' is not a LibTorch: it has no include/ and lib/"
    libtorch=$given
    step "LibTorch: $libtorch"
  elif [[ ! -f $(list_of_wheels "$set") ]]; then
    die "LibTorch $libtorch_version with CUDA cannot be downloaded here" 'Set -DDDP_LIBTORCH=DIR to one that you have.'
  elif libtorch_holds "$set"; then
    step "LibTorch $libtorch_version for ${set^^}: already in $libtorch_home"
  else
    local -A size=([cpu]='0.5 GB' [cuda]='2.5 GB')
    step "LibTorch $libtorch_version for ${set^^}: downloading ${size[$set]}"
    [[ $(uname -m) == x86_64 ]] || die "the wheels are for x86-64, this is $(uname -m)" \
      'Set -DDDP_LIBTORCH=DIR to a LibTorch of your own.'
    mkdir -p "${libtorch_home%/*}"
    fetch_libtorch "$set"
  fi
}

# Every wheel of the set has been unpacked; so the CUDA set serves where the CPU set is wanted.
libtorch_holds() {
  [[ -f $libtorch_home/wheels.lock ]] && ! grep -qvxFf "$libtorch_home/wheels.lock" <(wheels_of "$1")
}

wheels_of() {
  grep -v '^#' "$(list_of_wheels "$1")"
}

list_of_wheels() { echo "${BASH_SOURCE[0]%/steps/*}/libtorch/$libtorch_version-$1.lock"; }

fetch_libtorch() {
  local set=$1
  take_lock "$libtorch_home.lock"
  libtorch_holds "$set" || unpack_libtorch "$set"
  drop_lock
}

# The folder appears under its name when it is complete; what a killed setup left is removed by the next one.
unpack_libtorch() {
  local set=$1 incomplete=$libtorch_home.incomplete wheel
  rm -rf "$incomplete"
  mkdir "$incomplete"
  download_wheels "$set" "$incomplete/wheels"
  echo "Unpacking into $libtorch_home"
  for wheel in "$incomplete"/wheels/*.whl; do
    unzip -q -o "$wheel" -d "$incomplete"
  done
  rm -r "$incomplete/wheels"
  wheels_of "$set" >"$incomplete/wheels.lock"
  rm -rf "$libtorch_home"
  mv -T "$incomplete" "$libtorch_home"
}

# The tags are fixed, so that any Python will do; pip refuses a wheel whose sha256 is not the lock's.
download_wheels() {
  local set=$1 folder=$2 tag platforms=()
  for tag in manylinux_2_28 manylinux_2_27 manylinux_2_25 manylinux_2_18 manylinux2014 manylinux2010 manylinux1; do
    platforms+=(--platform "${tag}_x86_64")
  done
  PIP_DISABLE_PIP_VERSION_CHECK=1 /usr/bin/python3 -m pip download --no-cache-dir --no-deps --only-binary=:all: \
    --implementation cp --python-version 3.11 --abi cp311 "${platforms[@]}" \
    --require-hashes --requirement <(wheels_of "$set") --dest "$folder" ||
    die 'LibTorch could not be downloaded; nothing was changed.' \
      'Run the script again, or set -DDDP_LIBTORCH=DIR to a LibTorch of your own.'
}
