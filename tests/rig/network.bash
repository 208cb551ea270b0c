# The network of a rig: login0 (10.77.0.254) and nodeK (10.77.0.K), K from 1, on one bridge.

# connect_nodes NODES
connect_nodes() {
  local i
  ip link set lo up
  ip link add bridge0 type bridge
  ip addr add 10.77.0.254/24 dev bridge0
  ip link set bridge0 up
  for ((i = 1; i <= $1; i++)); do connect_node "$i"; done
}

# connect_node K: a network namespace with a cable to the bridge on which the login node sits.
connect_node() {
  local mac
  printf -v mac '02:00:0a:4d:00:%02x' "$1" # the same when it is connected anew: others remember it
  ip -batch - <<EOF
netns add node$1
link add port$1 master bridge0 type veth peer name eth0 address $mac netns node$1
link set port$1 up
EOF
  ip -netns "node$1" -batch - <<EOF
addr add 10.77.0.$1/24 dev eth0
link set eth0 up
link set lo up
EOF
}

# name_nodes NODES FILE: names for all, by FILE in the place of /etc/hosts, and for this host.
name_nodes() {
  local i
  {
    echo '127.0.0.1 localhost'
    echo '10.77.0.254 login0'
    for ((i = 1; i <= $1; i++)); do echo "10.77.0.$i node$i"; done
  } >"$2"
  [[ -e /etc/hosts ]] || : >/etc/hosts # a mount covers only what is there, and a system just unpacked has none
  mount --bind "$2" /etc/hosts
  hostname login0
}
