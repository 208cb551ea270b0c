# What goes wrong with a Slurm of the rig. rig_init leaves the pids of its daemons in /run/rig/pid.

rig_pid() { cat "/run/rig/pid/$1"; }

# freeze_controller SECONDS: it accepts connections, and answers none of them until it goes on. Returns at once.
freeze_controller() {
  kill -STOP "$(rig_pid slurmctld)"
  (sleep "$1" && kill -CONT "$(rig_pid slurmctld)") 3>&- &
}

stop_controller() {
  kill "$(rig_pid slurmctld)"
  eventually controller_is_down
}
controller_is_down() { ! kill -0 "$(rig_pid slurmctld)" 2>/dev/null; }

# With what it knew when it ended. It takes a few seconds until the nodes have told it that they are there.
start_controller() {
  slurmctld -D &>>/run/rig/log/slurmctld.out 3>&- &
  echo $! >/run/rig/pid/slurmctld
  eventually controller_answers
  eventually nodes_are_known
}
controller_answers() { scontrol ping | grep -q 'is UP'; }
nodes_are_known() { ! sinfo -h -N -o %t | grep -q unk; }

# lose_node NODE: its slurmd dies, what it has started lives on, and the controller is told that the node is down.
lose_node() {
  kill -9 "$(rig_pid "slurmd.$1")"
  call_node_down "$1"
}
call_node_down() { scontrol update "NodeName=$1" State=DOWN Reason=lost; }

# kill_node NODE: nothing on it lives, and nobody tells the controller. The nodes are network namespaces. What one pass kills
# makes others end by themselves.
kill_node() {
  local pids
  while pids=$(ip netns pids "$1") && [[ -n $pids ]]; do
    xargs kill -9 <<<"$pids" 2>/dev/null || true
  done
}

# return_node NODE: once its old steps are gone, as after a boot, and the controller does not try any more to tell the node to end its old
# jobs. A message that is late would be about the next start of such a job, which has the same number.
return_node() {
  eventually has_no_step "$1"
  eventually controller_sends_nothing
  ip netns exec "$1" unshare --uts sh -c "hostname $1 && exec slurmd -D -N $1" &>>"/run/rig/log/slurmd.$1.out" 3>&- &
  echo $! >"/run/rig/pid/slurmd.$1"
  eventually is_resumed "$1"
}
is_resumed() { scontrol update "NodeName=$1" State=RESUME || node_is_up "$1"; } # it may have said first that it is there
has_no_step() { ! ip netns pids "$1" | xargs -r ps -o comm= -p | grep -q slurmstepd; }
controller_sends_nothing() { [[ $(sdiag | grep -cE '^Agent (queue size|count): +0$') == 2 ]]; }
node_is_up() { [[ -n $(sinfo -h -n "$1" -t idle,mix,alloc -o %N) ]]; }
