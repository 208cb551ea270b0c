# doctor on real ssh hosts, whole and broken.
# shellcheck disable=SC2154 # ssh_run.bash sets the names

load ../support/ssh_run
load ../support/second_try

setup() { isolate_user; }

# examine [KEY=VALUE...]: two hosts with two ranks each; the answer goes into the file `answer`, the exit code into status.
examine() {
  "$DDPSUBMIT" doctor "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=ssh 'ssh.hosts=[node1,node2]' resources.nodes=2 \
    resources.tasks_per_node=2 "run_root=$PWD/runs" --json "$@" >answer 2>said && status=0 || status=$?
}
verdict() { jq -r --arg check "$1" '[.checks[] | select(.check == $check) | .verdict] | join(" ")' answer; }
libc() { ldd --version | sed -nE '1s/.* //p'; }
found() { jq -r --arg check "$1" '.checks[] | select(.check == $check) | .found' answer; }
answer() { jq -r "$1" answer; }

@test "two healthy hosts: what each is like, a time for the pair, and nothing is left" {
  examine
  [ "$status" -eq 0 ]
  [ "$(answer .healthy)" = true ]
  [ "$(verdict node)" = 'ok ok' ]
  [ "$(answer '[.nodes[] | "\(.host) \(.network.interface) \(.network.address)"] | join(", ")')" = 'node1 eth0 10.77.0.1, node2 eth0 10.77.0.2' ]
  [ "$(answer '[.pairs[] | select(.small_seconds > 0 and .large_seconds > 0) | .nodes] | tostring')" = '[[0,1]]' ]
  [[ $(found 'process group') == '4 ranks joined over Gloo '* ]]
  [ ! -e runs ]
  [ "$("$DDPSUBMIT" list --json | jq '.runs | length')" = 0 ]
}

@test "a host that does not answer is named, with exit 10" {
  cut_off node2
  examine ssh.connect_timeout=5s
  reconnect node2
  [ "$status" -eq 10 ]
  grep -q 'node2: no ssh connection' answer
}

@test "hosts that share no folder: disk, C library, clock and ports of each, and nothing is left there" {
  examine ssh.stage=push ssh.push_folder=/scratch/ddp
  [ "$status" -eq 0 ]
  [ "$(verdict node)" = 'ok ok' ]
  [ "$(answer '[.nodes[] | "\(.host) \(.network.free_port > 0) \(.network.clock_uncertainty_seconds < 1) \(.libc)"] | join(", ")')" = \
    "node1 true true $(libc), node2 true true $(libc)" ]
  [ "$(answer '[.nodes[].run_root.free_bytes > 0] | tostring')" = '[true,true]' ]
  [ "$(verdict all-reduce)" = skipped ]
  [ ! -e runs ]
  [ -z "$(on_host node1 ls /scratch/ddp/runs)" ]
  [ -z "$(on_host node2 ls /scratch/ddp/runs)" ]
  on_host node2 mkdir -p /scratch/full
  on_host node2 mount -t tmpfs -o size=9m full /scratch/full
  examine ssh.stage=push ssh.push_folder=/scratch/full/ddp
  on_host node2 umount -l /scratch/full
  [ "$(jq -r '[.checks[] | select(.verdict != "ok" and .host == "node2") | .check] | join(" ")' answer)" = run_root ]
  examine ssh.stage=push ssh.push_folder=/scratch/ddp ssh.port=2222
  [ "$status" -eq 10 ]
}
