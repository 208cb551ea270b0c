# The arguments that the scripts share: --cuda, --torch, --no-ccache, --help, and -DNAME=VALUE for CMake.
# shellcheck disable=SC2034  # the results are for the scripts that source this

libtorch_set=cpu     # cpu | cuda
libtorch_given=      # -DDDP_LIBTORCH=DIR: a LibTorch that is there already
cmake_arguments=(-DDDP_CCACHE=ON)

# A script's own flags go to its take_flag, which fails for one that it does not know.
parse_arguments() {
  [[ ! -e /dev/nvidia0 ]] || libtorch_set=cuda
  while (($# > 0)); do
    case $1 in
      --help | -h) usage && exit 0 ;;
      --cuda) libtorch_set=cuda ;;
      --torch=?*) use_libtorch "${1#*=}" ;;
      --no-ccache) cmake_arguments+=(-DDDP_CCACHE=OFF) && export CCACHE_DISABLE=1 ;;
      -DDDP_LIBTORCH=*) libtorch_given=$(realpath -m -- "${1#*=}") ;;
      -D?*=*) cmake_arguments+=("$1") ;;
      *) take_flag "$1" || wrong_usage "$1" ;;
    esac
    shift
  done
}

wrong_usage() {
  printf "error: unknown argument '%s'\n" "$1" >&2
  usage >&2
  exit 2
}
