# The rig itself: it comes up, its hosts are real ones, leaves nothing behind, and does not touch the machine.
# shellcheck disable=SC2016  # the scripts in single quotes are for a shell in the rig

load ../support/eventually
load ../support/second_try

rig() { "$SSH_RIG" with "$@"; }

# in_rig N SCRIPT [ARGUMENT...]: a rig of N hosts for the SCRIPT of a shell that has the faults; any failure in it is its end.
in_rig() {
  local hosts=$1 script=$2
  shift 2
  run rig --hosts "$hosts" -- bash -euc "source '$BATS_TEST_DIRNAME/../support/ssh_hosts.bash'
    remote() { ssh -o BatchMode=yes \"\$@\"; }
    $script" _ "$@"
  echo "$output"
}

# Processes that live in the PID namespace whose link text is in FILE.
processes_of() {
  find /proc/[0-9]*/ns/pid -maxdepth 0 -lname "$(sed 's/[][]/\\&/g' "$1")" 2>/dev/null || true
}

no_process_of() { [[ -z $(processes_of "$1") ]]; }

@test "hosts with names and addresses of their own, whose keys are known" {
  in_rig 3 'for host in node{1..3} 10.77.0.2; do remote "$host" hostname; done; remote node3 hostname -I; hostname
            remote node2 ssh -o BatchMode=yes node1 hostname'
  [ "$status" -eq 0 ]
  [ "${lines[*]}" = 'node1 node2 node3 node2 10.77.0.3  login0 node1' ]
}

@test "the exit code is the command's" {
  run rig --hosts 1 -- bash -c 'exit 42'
  [ "$status" -eq 42 ]
}

@test "a wrong option is refused, and a wrong line of sshd_config is named" {
  for number in 0 201 many; do
    run rig --hosts "$number" -- true
    [ "$status" -eq 2 ]
  done
  run rig --hosts 1 --sshd 'Porrt 22' -- true
  [ "$status" -ne 0 ]
  [[ $output == *Porrt* ]]
}

@test "further lines of sshd_config win over those of the rig, in blocks, too" {
  lines_of_conf=(--sshd 'AcceptEnv COLOR' --sshd 'LogLevel ERROR' --sshd 'Match User cshuser' --sshd 'ForceCommand echo forced')
  run rig --hosts 1 "${lines_of_conf[@]}" -- bash -c '
    COLOR=red ssh -o BatchMode=yes -o SendEnv=COLOR node1 printenv COLOR; ssh cshuser@node1 true; cat /run/rig/node1/sshd.log'
  [ "${lines[*]}" = 'red forced' ]
}

@test "keys only: no password, and no key but the one" {
  in_rig 1 'ssh-keygen -q -t ed25519 -N "" -f /run/other
    ssh -o PreferredAuthentications=password,keyboard-interactive -o NumberOfPasswordPrompts=0 node1 true || echo refused
    remote -i /run/other -o IdentitiesOnly=yes -F none node1 true || echo refused'
  [ "$(grep -cx refused <<<"$output")" -eq 2 ]
}

@test "other shells: csh, fish, one that makes noise, and none" {
  in_rig 1 'remote cshuser@node1 '\''echo $version'\''; remote fishuser@node1 '\''echo fish $FISH_VERSION'\''
    remote noisyuser@node1 "echo \$BASH_VERSION" 2>/run/said; echo "said: $(wc -l </run/said)"
    remote nologinuser@node1 true || echo "nologin: $?"
    for user in root {csh,fish,noisy}user; do remote $user@node1 pwd 2>/dev/null | tail -n 1; done'
  [ "$status" -eq 0 ]
  [[ ${lines[0]} == tcsh* ]]
  [[ ${lines[1]} == 'fish 3'* ]]
  [ "${lines[2]}" = 'Welcome to the cluster!' ]
  [[ ${lines[3]} == 5.* ]]
  [ "${lines[4]}" = 'said: 2' ]
  [ "${lines[6]}" = 'nologin: 1' ]
  [ "${lines[*]:7}" = '/root /root /root /root' ]
}

@test "hosts share the machine's folders, but not /scratch" {
  in_rig 2 'cd "$1"; on_host node1 sh -c "hostname >shared; hostname >/scratch/own"; remote node2 cat "$1/shared"
    on_host node1 cat /scratch/own; on_host node2 ls -A /scratch; ls -A /scratch
    on_host node2 ls /sys/class/net; on_host node2 pwd' "$BATS_TEST_TMPDIR"
  [ "$status" -eq 0 ]
  [ "${lines[*]}" = "node1 node1 eth0 lo $BATS_TEST_TMPDIR" ]
}

@test "a cable is pulled and put back; a connection does not end by that" {
  in_rig 2 'remote node1 "echo up; until test -e /run/rig/back; do sleep 0.05; done; echo lived on" >/run/heard &
    eventually grep -qs up /run/heard
    cut_off node1; remote -o ConnectTimeout=1 node1 true || echo cut off; remote node2 hostname
    reconnect node1; eventually remote node1 hostname; touch /run/rig/back; wait $!; cat /run/heard'
  [ "$status" -eq 0 ]
  [ "$(grep -v '^ssh: ' <<<"$output" | xargs)" = 'cut off node2 node1 up lived on' ]
}

@test "sshd stops and starts; what it had started lives on" {
  in_rig 1 'remote node1 "touch /run/rig/up; until test -e /run/rig/back; do sleep 0.05; done; echo lived on" & session=$!
    eventually test -e /run/rig/up; stop_sshd node1; remote node1 true || echo refused
    start_sshd node1; remote node1 hostname; touch /run/rig/back; wait $session'
  [ "$status" -eq 0 ]
  [[ ${lines[0]} == *'Connection refused'* ]]
  [ "${lines[*]:1}" = 'refused node1 lived on' ]
}

@test "a new host key is not trusted" {
  in_rig 2 'change_host_key node1; remote node1 true || echo "refused: $?"; remote node2 hostname
    ssh-keygen -q -R node1 2>/dev/null; remote -o StrictHostKeyChecking=accept-new node1 hostname'
  [ "$status" -eq 0 ]
  grep -F 'REMOTE HOST IDENTIFICATION HAS CHANGED' <<<"$output"
  grep -xF 'refused: 255' <<<"$output"
  [ "$(tail -n 1 <<<"$output")" = node1 ]
}

@test "processes are known by their host" {
  in_rig 2 'exec_on_host node1 sleep 601 & exec_on_host node2 sleep 602 &
    sleeps() { processes_on node1 | grep -q "sleep 601$" && processes_on node2 | grep -q "sleep 602$"; }
    eventually sleeps
    processes_on node1 | grep -c "sleep 60"; processes_on node2 | grep -c "sshd: .*\[listener\]"'
  [ "$status" -eq 0 ]
  [ "${lines[*]}" = '1 1' ]
}

@test "a host that loses its power tells nobody, and comes back with its disk" {
  in_rig 2 'on_host node1 touch /scratch/kept
    mkfifo /run/rig/line
    exec_on_host node1 bash -c "sleep 603 >/run/rig/line & for i in {1..300}; do sleep 603 & done
      (exec </run/rig/line; touch /run/rig/watches; read -r; echo saw it >/run/rig/saw); :" & disown
    eventually test -e /run/rig/watches
    remote node1 "echo up; sleep 604" &>/run/heard & connection=$!
    eventually grep -qs up /run/heard
    kill_host node1; processes_on node1; cat /run/rig/saw 2>/dev/null || :
    remote -o ConnectTimeout=1 node1 true || echo "gone: $?"
    kill -0 $connection && echo "not told"
    boot_host node1; remote node1 ls /scratch; on_host node1 ls /sys/class/net'
  [ "$status" -eq 0 ]
  [ "$(grep -v '^ssh: ' <<<"$output" | xargs)" = 'gone: 255 not told kept eth0 lo' ]
}

@test "bats does not wait for what a fault has started" {
  faults='stop_sshd node1; start_sshd node1; change_host_key node1; kill_host node2; boot_host node2; exec_on_host node2 sleep 600 3>&- &'
  # shellcheck disable=SC2059 # bats would take a line that begins with @test for one of this file
  printf "source $BATS_TEST_DIRNAME/../support/ssh_hosts.bash\n@test all { $faults\n}\n" >"$BATS_TEST_TMPDIR/faults.bats"
  (exec 3>&- && rig --hosts 2 -- env -u BATS_TEST_FILTER bats "$BATS_TEST_TMPDIR/faults.bats" | cat
    echo "${PIPESTATUS[0]}" >"$BATS_TEST_TMPDIR/code") &
  eventually test -s "$BATS_TEST_TMPDIR/code" || { pkill -KILL -P $! && false; }
  [ "$(<"$BATS_TEST_TMPDIR/code")" -eq 0 ]
}

@test "two rigs at once do not meet" {
  say_and_hear='echo "$1" >/run/rig/word; ssh node1 "cat /run/rig/word; ls /sys/class/net | wc -l"; wc -l </root/.ssh/known_hosts'
  rig --hosts 1 -- bash -c "$say_and_hear" _ first >"$BATS_TEST_TMPDIR/first" &
  rig --hosts 2 -- bash -c "$say_and_hear" _ second >"$BATS_TEST_TMPDIR/second"
  wait $!
  [ "$(xargs <"$BATS_TEST_TMPDIR/first")" = 'first 2 1' ]
  [ "$(xargs <"$BATS_TEST_TMPDIR/second")" = 'second 2 2' ]
}

@test "its end leaves no process, no link, no mount and no file" {
  machine_state() {
    ip -br link
    sort /proc/self/mounts
    sha256sum /etc/passwd /etc/shadow /etc/hosts
    ls -A / /run /var/log
    find /root/.ssh /root/.config /root/.local 2>/dev/null | sort
  }
  before=$(machine_state)
  rig --hosts 2 -- bash -c 'readlink /proc/self/ns/pid >"$1"
    for user in root {csh,fish,noisy}user; do ssh -tt $user@node2 "sleep 600 & exit" </dev/null; done' _ "$BATS_TEST_TMPDIR/namespace"
  eventually no_process_of "$BATS_TEST_TMPDIR/namespace"
  diff <(echo "$before") <(machine_state)
}

run_long_command_in_rig() {
  exec "$SSH_RIG" with --hosts 2 -- bash -c '
    ssh node1 "echo up; sleep 600" >/run/heard & ssh node2 "setsid sleep 600 >/dev/null 2>&1 &"
    until grep -qs up /run/heard; do sleep 0.05; done
    readlink /proc/self/ns/pid >"$1.new" && mv "$1.new" "$1"; sleep 600' _ "$BATS_TEST_TMPDIR/namespace" 3>&-
}

ends_with_all_processes() {
  eventually test -s "$BATS_TEST_TMPDIR/namespace"
  [ "$(processes_of "$BATS_TEST_TMPDIR/namespace" | wc -l)" -gt 8 ]
  kill -9 "$1"
  eventually no_process_of "$BATS_TEST_TMPDIR/namespace"
}

@test "kill -9 of the rig takes the hosts along" {
  run_long_command_in_rig &
  ends_with_all_processes $!
}

@test "kill -9 of the rig's parent takes them along, too" {
  (run_long_command_in_rig & wait) &
  ends_with_all_processes $!
}
