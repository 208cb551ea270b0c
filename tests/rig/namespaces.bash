# The namespaces of a rig, and what it takes to make them.

# require RIG PROGRAM...: ends with 77, and says why, where a rig of that name cannot be.
require() {
  local rig=$1 program
  shift
  ((EUID == 0)) || skip_rig "$rig" 'it takes root to make network namespaces'
  for program in ip unshare setpriv "$@"; do
    command -v "$program" >/dev/null || skip_rig "$rig" "$program is not installed"
  done
  unshare --mount --net --uts --ipc --pid --fork --mount-proc true 2>/dev/null || skip_rig "$rig" 'the kernel gives no new namespaces here'
}

skip_rig() {
  echo "no $1 rig: $2" >&2
  exit 77
}

# become_first_process COMMAND...: in namespaces of its own. unshare's child dies with unshare, and unshare with our parent.
become_first_process() {
  exec setpriv --pdeathsig KILL unshare --mount --net --uts --ipc --pid --fork --kill-child=KILL --mount-proc --propagation private "$@"
}
