#!/bin/sh
# What /bin/sh runs on an ssh host that programs are copied to (ssh.stage: push): it puts ddp-agent into the host's own folder, if that
# does not have it, and becomes it. A program that ddpsubmit ends with a line "push_agent ..." and writes to the shell's stdin.
#
# Nobody but this user may be able to change the program, or put another in its place. So all folders that lead to it are looked at, from
# the root on: where nobody else can write to one, what lies in it stays what it is. jobenv/record/trusted_path.hpp has the same rules.

# refuse WHY: an answer that ddpsubmit reads.
# shellcheck disable=SC1003 # the two backslashes are one for tr
refuse() {
  printf '\n%s {"schema":"refused","why":"%s"}\n' "$marker" "$(printf %s "$1" | tr '\001-\037"\\' '[?*]')"
  exit 1
}

# is_private PART GROUP NAME: the group is this user's alone, as useradd makes one for each user, and there is no access control list.
is_private() {
  case $(ls -ld "$1") in ??????????+*) return 1 ;; esac
  [ "$2" = "$(id -g)" ] && [ "$3" = "$(id -un)" ] || return 1
  case $(getent group "$2" 2>/dev/null || grep "^$3:" /etc/group) in *: | *":$3") ;; *) return 1 ;; esac
}

# is_ours OWNER: root, this user, or root of the host in a container that has no number for it.
is_ours() {
  [ "$1" != 0 ] && [ "$1" != "$me" ] || return 0
  [ "$1" = "$(cat /proc/sys/kernel/overflowuid)" ] || return 1
  while read -r first _ count; do
    [ "$1" -lt "$first" ] || [ "$1" -ge "$((first + count))" ] || return 1
  done </proc/self/uid_map
}

# judge PART MODE OWNER GROUP NAME_OF_OWNER NAME_OF_GROUP
judge() {
  case $1 in
    "$home" | "$home"/*)
      [ "$3" = "$me" ] || refuse "'$1' belongs to $5, who could put other files there"
      case $2 in
        ?????w* | ????????w*)
          chmod go-w "$1" || refuse "cannot change the mode of '$1'"
          was_open=yes
          ;;
      esac
      return
      ;;
  esac
  is_ours "$3" || refuse "'$1' belongs to $5, who could put other files there"
  case $2 in
    l* | ?????????[tT]*) ;;
    ????????w*) refuse "every user can write to '$1', and could put other files there" ;;
    ?????w*) is_private "$1" "$4" "$6" || refuse "the group $6 can write to '$1', and could put other files there" ;;
  esac
}

# judge_all PART...: from the root on.
judge_all() {
  [ "$#" -gt 0 ] || return 0
  seen=$(LC_ALL=C stat -c '%A %u %g %U %G' "$@") || refuse "cannot look at the folders that lead to '$folder'"
  while read -r mode owner group owner_name group_name; do
    [ "$owner_name" != UNKNOWN ] || owner_name="uid $owner"
    [ "$group_name" != UNKNOWN ] || group_name="gid $group"
    judge "$1" "$mode" "$owner" "$group" "$owner_name" "$group_name"
    shift
  done <<SEEN
$seen
SEEN
  [ "$#" -eq 0 ] || refuse "cannot look at the folders that lead to '$folder'" # where the shell had no room for the list
}

# is_real FOLDER: no part of its path is a link. Asked when all of it has been judged: what was exchanged before that shows now.
is_real() { [ "$(cd -P "$1/" && pwd -P)" = "${1:-/}" ]; }

# make FOLDER: it is there then, and still to be judged: another session may have made it at the same time.
make() {
  [ ! -e "$1" ] || [ -d "$1" ] || refuse "cannot use '$1': Not a directory"
  is_real "${1%/*}" || refuse "'${1%/*}' has been exchanged meanwhile"
  said=$(mkdir -m 700 "$1" 2>&1) || [ -d "$1" ] || refuse "$said"
}

# find_folders: sets `home`, the host's own folder without links, and `program_folder`, a real folder in it. Makes what is missing, once
# what is above it has been judged.
find_folders() {
  rest=$folder here='' links=0
  set -- /
  while [ -n "$rest" ]; do
    name=${rest%%/*}
    case $rest in */*) rest=${rest#*/} ;; *) rest='' ;; esac
    case $name in
      '' | .) continue ;;
      ..) here=${here%/*} && continue ;;
    esac
    if [ -h "$here/$name" ]; then
      [ "$((links += 1))" -le 40 ] || refuse "cannot follow '$here/$name': too many links"
      set -- "$@" "$here/$name"
      target=$(readlink "$here/$name")
      rest=$target/$rest
      case $target in /*) here='' ;; esac
      continue
    fi
    here=$here/$name
    [ -d "$here" ] || { judge_all "$@" && set -- && make "$here"; }
    set -- "$@" "$here"
  done
  home=$here
  for name in programs "$sha256"; do
    here=$here/$name
    [ ! -h "$here" ] || refuse "'$here' is a link"
    [ -d "$here" ] || { judge_all "$@" && set -- && make "$here"; }
    set -- "$@" "$here"
  done
  program_folder=$here
  judge_all "$@"
  is_real "$program_folder" || refuse "'$program_folder' has been exchanged meanwhile"
}

# is_whole AGENT: it is this user's own, and has the hash that it should have. It is hashed once in each state, which a file of mode 0600
# beside it keeps: owner, mode, size, time of the last write, and inode.
is_whole() {
  [ -f "$1" ] && [ ! -h "$1" ] || return 1
  state=$(LC_ALL=C stat -c '%u %A %s %y %i' "$1")
  case $state in "$me -rwx------ "*) ;; *) return 1 ;; esac
  known=''
  case $(LC_ALL=C stat -c '%u %A' "$1.state" 2>/dev/null) in "$me -rw-------") read -r known <"$1.state" ;; esac
  [ "$state" != "$known" ] || return 0
  sum=$(sha256sum <"$1") && [ "${sum%% *}" = "$sha256" ] || return 1
  (umask 077 && printf '%s\n' "$state" >"$1.state.$$") && mv -f "$1.state.$$" "$1.state"
}

# push_agent FOLDER SHA256 SIZE MARKER WANTED. FOLDER: '' is ~/.ddpsubmit; a ~ at its beginning is the home of this user. WANTED: what asks ddpsubmit for the bytes of ddp-agent, which
# it then writes to stdin, not before: the shell may have read ahead. Answers begin with MARKER.
push_agent() {
  folder=${1:-$HOME/.ddpsubmit} sha256=$2 size=$3 marker=$4 wanted=$5
  case $folder in \~/*) folder=$HOME/${folder#??} ;; esac
  me=$(id -u) home=/dev/null was_open=''
  find_folders
  agent=$program_folder/ddp-agent
  # Somebody may still have a file open that he could write to.
  [ -z "$was_open" ] || rm -f "$agent" "$agent.state" || refuse "cannot remove '$agent'"
  if ! is_whole "$agent"; then
    printf '\n%s\n' "$wanted"
    rm -f "$agent.$$"
    said=$({ (umask 077 && head -c "$size" >"$agent.$$") && chmod 700 "$agent.$$" && mv -f "$agent.$$" "$agent"; } 2>&1)
    is_whole "$agent" || {
      rm -f "$agent" "$agent.$$"
      refuse "cannot copy ddp-agent into '$home': ${said:-it did not arrive as it was sent}"
    }
  fi
  exec "$agent" remote --marker "$marker" --folder "$home"
}
