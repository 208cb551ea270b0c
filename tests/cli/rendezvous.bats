# The ranks of a run meet each other, and nobody else.
# shellcheck disable=SC2034 # run_folder is for run_records.bash

load ../support/local_run
load ../support/restarts

setup() {
  isolate_user
  training=("${training[@]/train.max_steps=*/train.max_steps=200}")
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
}

# listeners PID...: the addresses on which these processes take TCP connections.
listeners() {
  local pid
  for pid in "$@"; do ss --no-header --tcp --listening --numeric --processes | grep "pid=$pid," || true; done | awk '{ print $4 }'
}

all_have_begun() { [[ $(event rank_started .rank | wc -l) -eq 4 ]] && has_checkpoint 0; }

@test "on one host all listen on the loopback alone" {
  run_id=$(train_here "run_root=$PWD/runs" --detach)
  run_folder=$PWD/runs/$run_id
  eventually all_have_begun
  # shellcheck disable=SC2046 # a word for each process
  listeners $(event rank_started .pid) $(event head_started .pid) >addresses
  "$DDPSUBMIT" wait "$run_id"
  [ -s addresses ]
  [ "$(grep -cv '^127\.0\.0\.1:' addresses)" -eq 0 ]
}

@test "two runs at once on one host: each ends as if it were alone" {
  local run
  for run in a b; do train_here "run_root=$PWD/$run" --detach >"$run.id"; done
  for run in a b; do
    "$DDPSUBMIT" wait "$(<"$run.id")"
    has_undisturbed_bytes "$PWD/$run/$(<"$run.id")"
  done
}

@test "hardly a port is free: the run takes one that is" {
  unshare --net true 2>/dev/null || skip 'it takes a network of its own'
  cat >crowded <<'SCRIPT'
ip link set lo up
echo '40000 40063' >/proc/sys/net/ipv4/ip_local_port_range
python3 - "$@" <<'PYTHON'
import socket, subprocess, sys
taken = []
for port in range(40000, 40064):
    if port % 4 == 0: continue
    taken.append(socket.socket())
    taken[-1].bind(("127.0.0.1", port))
    taken[-1].listen()
sys.exit(subprocess.call(sys.argv[1:]))
PYTHON
SCRIPT
  unshare --net bash crowded "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" run_root=runs resources.tasks_per_node=4 \
    train.epochs=null train.max_steps=20
  [ "$(jq -r 'select(.event == "attempt_ended") | .outcome' runs/*/ledger/head-0.jsonl)" = succeeded ]
}
