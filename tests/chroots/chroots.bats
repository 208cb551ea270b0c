# The scripts that make chroots and run commands in them. What bootstraps a release is a fake here; the nightly lane uses the real one.
# shellcheck disable=SC2016 # the scripts in single quotes are for other shells

load ../support/eventually

setup() {
  ((EUID == 0)) || skip 'it takes root to make a chroot'
  export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache DDP_DEBIAN_MIRROR=mirror:
  chroots=$XDG_CACHE_HOME/ddpsubmit/chroots
  mkdir "$BATS_TEST_TMPDIR/bin"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  fake_bootstrap true
}

# fake_bootstrap COMMAND: debootstrap makes a folder, and runs COMMAND in it.
fake_bootstrap() {
  printf '%s\n' '#!/bin/bash' 'echo "$*" >>"$XDG_CACHE_HOME/bootstrapped"' 'mkdir -p "$3/usr/sbin" && cd "$3"' "$1" \
    >"$BATS_TEST_TMPDIR/bin/debootstrap"
  chmod +x "$BATS_TEST_TMPDIR/bin/debootstrap"
}
make_chroot() { "$BATS_TEST_DIRNAME/make" "$@"; }
in_chroot() { "$BATS_TEST_DIRNAME/run" "$@"; }

@test "a chroot is made once, and starts no services" {
  folder=$(make_chroot bookworm)
  [ "$(make_chroot bookworm)" = "$folder" ]
  [[ $folder == "$chroots"/bookworm-* ]]
  [ "$(wc -l <"$XDG_CACHE_HOME/bootstrapped")" -eq 1 ]
  grep -qx 'exit 101' "$folder/usr/sbin/policy-rc.d"
}

@test "another release is another chroot, and so is another list of packages, in whatever order" {
  # shellcheck disable=SC1090
  names() { (source <(sed -n '/^name_of/,/^}/p' "$BATS_TEST_DIRNAME/make") && name_of "$@"); }
  [ "$(names trixie bats jq)" = "$(names trixie bats jq)" ]
  [ "$(names trixie bats jq)" != "$(names trixie bats)" ]
  [ "$(names trixie bats jq)" != "$(names sid bats jq)" ]
}

@test "a bootstrap that fails is told, leaves no chroot, and is tried again" {
  fake_bootstrap 'echo no such mirror; exit 1'
  run make_chroot bookworm
  [ "$status" -eq 1 ]
  [[ $output == *'no such mirror'*"all of it is in $chroots/bookworm-"* ]]
  fake_bootstrap true
  [ -d "$(make_chroot bookworm 2>/dev/null)" ]
}

@test "a killed attempt ends with all its processes, and the next one cleans up" {
  fake_bootstrap ': >half; exec sleep 600'
  (exec "$BATS_TEST_DIRNAME/make" bookworm) 3>&- &
  eventually compgen -G "$chroots/bookworm-*.incomplete/half"
  kill -9 $!
  fake_bootstrap true
  folder=$(make_chroot bookworm)
  [ ! -e "$folder/half" ]
  [ -z "$(compgen -G "$chroots/*.incomplete")" ]
}

@test "two at once make one" {
  fake_bootstrap 'sleep 0.5'
  make_chroot bookworm >"$BATS_TEST_TMPDIR/first" &
  folder=$(make_chroot bookworm)
  wait $!
  [ "$(cat "$BATS_TEST_TMPDIR/first")" = "$folder" ]
  [ "$(wc -l <"$XDG_CACHE_HOME/bootstrapped")" -eq 1 ]
}

@test "what nobody has asked for in 30 days is removed" {
  old=$(make_chroot bookworm)
  touch -d '40 days ago' "$old.lock"
  make_chroot trixie
  [ ! -e "$old" ]
  [ ! -e "$old.lock" ]
}

# The machine's own system serves as a chroot.

@test "a command has the repository, read-only, and folders that it was given; what it writes elsewhere is forgotten" {
  mkdir -p "$BATS_TEST_TMPDIR/given" "$BATS_TEST_TMPDIR/bin/kept" /opt/of-this-test
  # shellcheck disable=SC2016
  run in_chroot --bind "$BATS_TEST_TMPDIR/bin/kept" --bind-ro "$BATS_TEST_TMPDIR/bin" / bash -c '
    touch "$1/given/there" "$1/bin/kept/there" /opt/of-this-test/gone && ls /opt/of-this-test
    touch "$2/README.md" "$1/bin/new"; test -r "$2/README.md" && exit 42' _ "$BATS_TEST_TMPDIR" "$(realpath "$BATS_TEST_DIRNAME/../..")"
  rm -r /opt/of-this-test/gone 2>/dev/null && written=yes
  rmdir /opt/of-this-test
  [ "$status" -eq 42 ]
  [ -z "${written:-}" ]
  [ "${lines[0]}" = gone ]
  [ "$(grep -c 'Read-only file system' <<<"$output")" -eq 2 ]
  [ -e "$BATS_TEST_TMPDIR/bin/kept/there" ]
  [ -e "$BATS_TEST_TMPDIR/given/there" ] # /tmp is the machine's
}

@test "its environment is a new one, but for the way to the network" {
  export SOMETHING=else https_proxy=proxy:3128
  run in_chroot / env
  grep -x https_proxy=proxy:3128 <<<"$output"
  [[ $output != *SOMETHING* ]]
}

@test "the death of who runs it ends all its processes" {
  # shellcheck disable=SC2016
  (exec "$BATS_TEST_DIRNAME/run" / bash -c 'sleep 600 & readlink /proc/self/ns/pid >"$1.new" && mv "$1.new" "$1"; wait' _ "$BATS_TEST_TMPDIR/namespace") 3>&- &
  eventually test -s "$BATS_TEST_TMPDIR/namespace"
  kill -9 $!
  none_left() { [[ -z $(find /proc/[0-9]*/ns/pid -maxdepth 0 -lname "$(sed 's/[][]/\\&/g' "$BATS_TEST_TMPDIR/namespace")" 2>/dev/null) ]]; }
  eventually none_left
}
