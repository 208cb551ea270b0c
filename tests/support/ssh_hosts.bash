# The hosts of an ssh rig, node1..N, and what goes wrong with them.

# shellcheck source=tests/support/eventually.bash
source "${BASH_SOURCE[0]%/*}/eventually.bash"
# shellcheck source=tests/rig/network.bash
source "${BASH_SOURCE[0]%/*}/../rig/network.bash"

ssh_state=/run/rig # NODE/: holder (a pid), host_key, sshd.pid, sshd.log

# on_host NODE COMMAND...: runs it there, in this folder, as a program that is there would; no ssh has to do with it.
on_host() { (exec_on_host "$@"); }
# exec_on_host NODE COMMAND...: the shell itself becomes COMMAND. For the background: exec_on_host ... 3>&- &. With on_host a shell would
# wait there, and bats for that shell, which has files of it open.
exec_on_host() {
  local host=$1
  shift
  exec nsenter --net="/run/netns/$host" --target "$(<"$ssh_state/$host/holder")" --uts --mount --wdns="$PWD" -- "$@"
}

# processes_on NODE: a line "PID COMMAND LINE" for each process, sshd included.
processes_on() {
  local pids
  pids=$(ip netns pids "$1" | paste -sd ,)
  [[ -z $pids ]] || ps -ww -o pid=,args= -p "$pids" || true # they may just have ended
}

# cut_off NODE: its cable is pulled. What runs there goes on, and no connection is told.
cut_off() { ip link set "port${1#node}" down; }
# reconnect NODE. While the kernel still asks for the address that it has asked for in vain, connections would end with "No route to host".
reconnect() { ip link set "port${1#node}" up && ip neigh flush to "10.77.0.${1#node}"; }

# stop_sshd NODE: it takes no more connections. Those that it has stay.
stop_sshd() {
  local pid
  pid=$(<"$ssh_state/$1/sshd.pid")
  kill "$pid"
  eventually has_ended "$pid"
}
has_ended() { ! kill -0 "$1" 2>/dev/null; }

start_sshd() {
  launch_sshd "$1"
  eventually sshd_listens "$1"
}
launch_sshd() {
  local state=$ssh_state/$1
  rm -f "$state/sshd.pid"
  exec_on_host "$1" /usr/sbin/sshd -D -e -f "$ssh_state/sshd_config" -h "$state/host_key" -o "PidFile=$state/sshd.pid" \
    </dev/null &>>"$state/sshd.log" 3>&- &
}
sshd_listens() { [[ -s $ssh_state/$1/sshd.pid ]]; } # it writes the file after it has bound its port

make_host_key() { ssh-keygen -q -t ed25519 -N '' -C "root@$1" -f "$ssh_state/$1/host_key" <<<y >/dev/null; }

# change_host_key NODE: as if it had been set up anew. known_hosts keeps the old one.
change_host_key() {
  make_host_key "$1"
  stop_sshd "$1"
  start_sshd "$1"
}

# kill_host NODE: it loses its power. Nobody is told, as its cable is pulled first, and nothing there sees others end, as all of them stop
# before the first one dies.
kill_host() {
  local stopped='' pids
  cut_off "$1"
  while pids=$(ip netns pids "$1") && [[ $pids != "$stopped" ]]; do
    signal_all STOP "$pids"
    stopped=$pids
  done
  while pids=$(ip netns pids "$1") && [[ -n $pids ]]; do signal_all KILL "$pids"; done
}
signal_all() { xargs --no-run-if-empty kill -s "$1" <<<"$2" 2>/dev/null || true; }

# boot_host NODE: after kill_host. It knows nothing of its old connections; /scratch is as it was.
boot_host() {
  ip link del "port${1#node}" # first: it goes with the namespace, some time later
  ip netns del "$1"
  connect_node "${1#node}"
  power_on "$1"
  eventually sshd_listens "$1"
}
power_on() {
  on_host "$1" mount -t sysfs sysfs /sys # shows the network that it is mounted in
  launch_sshd "$1"
}
