# How a process comes into a chroot, without writing into it.

# apart COMMAND...: its mounts and its processes are its own and end with it, and it ends with this process.
apart() {
  setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child=KILL --mount-proc --propagation private "$@"
}

# enter_chroot FOLDER PATH...: FOLDER becomes the root folder of this mount namespace, which is private. What is written there is kept in
# memory, for as long as the namespace lives. The PATHs of the machine are there, too, as far as they exist. PATHs after the word
# ro are read-only, those after the word rw writable.
enter_chroot() {
  local folder=$PWD mode path
  mount -t tmpfs -o mode=755 chroot /run # covered first: mount keeps notes in it
  mkdir /run/{written,work,root}
  mount -t overlay -o "lowerdir=$1,upperdir=/run/written,workdir=/run/work" chroot /run/root
  shift
  for path in rw /proc /dev /sys /tmp "$@"; do
    if [[ $path == r[ow] ]]; then mode=$path; elif [[ -e $path ]]; then mirror "$path" "$mode"; fi
  done
  mkdir /run/root/.old
  cd /run/root || return
  pivot_root . .old
  umount --lazy /.old
  rmdir /.old
  cd "$folder" 2>/dev/null || cd /
}

# mirror PATH rw|ro
mirror() {
  if [[ -d $1 ]]; then
    mkdir -p "/run/root$1"
  else
    mkdir -p "/run/root${1%/*}"
    : >"/run/root$1"
  fi
  mount --rbind "$(realpath "$1")" "/run/root$1"
  [[ $2 == rw ]] || mount -o "remount,bind,ro" "/run/root$1"
}
