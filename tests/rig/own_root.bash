# A root folder of a rig's own, with what is in the machine's: a mount point for which that has no folder needs one to be made.

# enter_own_root: /run and /scratch are empty. /root lacks keys, settings and start-up files: they change what a shell or ssh does, and
# shells write some.
enter_own_root() {
  local folder=$PWD
  mount -t tmpfs rig /run # covered first: mount keeps notes in it
  mkdir /run/root
  mount -t tmpfs -o mode=755 rig /run/root
  mkdir /run/root/{run,scratch,.old}
  mkdir -m 700 /run/root/root
  mirror / /run/root '@(run|scratch|root|.old)'
  mirror /root /run/root/root '@(.ssh|.config|.local|.*rc|.*profile|.*login|.*logout)'
  cd /run/root || return
  pivot_root . .old
  umount --lazy /.old
  rmdir /.old
  mount -t tmpfs rig /var/log # sshd writes down who got a terminal
  cd "$folder" || return
}

# mirror FROM TO PATTERN: the entries of folder FROM appear in TO, but for those that fit PATTERN.
mirror() (
  shopt -s dotglob nullglob
  for entry in "${1%/}"/*; do
    name=${entry##*/}
    # shellcheck disable=SC2053 # it is a pattern
    [[ $name != $3 ]] || continue
    if [[ -L $entry ]]; then
      cp --no-dereference "$entry" "$2"
    elif [[ -d $entry ]]; then
      mkdir "$2/$name"
      mount --rbind "$entry" "$2/$name"
    else
      : >"$2/$name"
      mount --bind "$entry" "$2/$name"
    fi
  done
)
