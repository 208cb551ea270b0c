# Links of a rig that are so slow that a training waits for its sums most of the time: one that only has to go on leaves the CPU to others.

# slow_links [RATE]
slow_links() { set_links replace root tbf rate "${1:-100mbit}" burst 32kb latency 500ms; }
fast_links() { set_links del root 2>/dev/null; }

# set_links COMMAND ARGUMENT...: tc qdisc COMMAND for the link of each node.
set_links() {
  local link
  for link in /run/netns/node*; do tc -netns "${link##*/}" qdisc "$1" dev eth0 "${@:2}" || true; done
}
