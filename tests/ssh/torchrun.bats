# A command line of torchrun on hosts that are reached over ssh.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/ssh_run
load ../support/second_try

setup() {
  isolate_user
  cp "$SOURCE_DIR/tests/support/show_start.py" .
}
teardown() {
  reconnect node2
  "$DDPSUBMIT" cancel last &>/dev/null || true
}

# torchrun OPTION...: a line for the two hosts.
torchrun() { "$DDPSUBMIT" torchrun --launcher ssh --set 'ssh.hosts=[node1, node2]' "$@"; }

@test "the Python of an active environment is that of the ranks, also in a rerun, and a host that lacks it is named" {
  echo 'import sys; print(sys.prefix)' >where.py
  python3 -m venv --without-pip env
  python3 -m venv --without-pip /scratch/own
  # shellcheck source=/dev/null
  (source env/bin/activate && torchrun --nnodes=2 --nproc-per-node=1 where.py >printed)
  [ "$(sort printed | paste -sd ' ')" = "[r0] $PWD/env [r1] $PWD/env" ]
  "$DDPSUBMIT" rerun last >printed
  [ "$(sort printed | paste -sd ' ')" = "[r0] $PWD/env [r1] $PWD/env" ]
  # shellcheck disable=SC2016 # the inner shell expands it
  run bash -c 'source /scratch/own/bin/activate; "$0" torchrun --launcher ssh --set "ssh.hosts=[node1]" where.py' "$DDPSUBMIT"
  [ "$status" -eq 10 ]
  [[ $output == *"node1: there is no '/scratch/own/bin/python3', the program of the environment that is active here"* ]]
}

@test "another program in the PATH of the hosts, and a PYTHONPATH that they do not get, are told" {
  mkdir mine
  ln -s /bin/true mine/python3
  echo 'print("up")' >up.py
  PATH=$PWD/mine:$PATH PYTHONPATH=/lib/mine torchrun --nnodes=2 --nproc-per-node=1 up.py >printed 2>said
  [ "$(sort printed | paste -sd ' ')" = '[r0] up [r1] up' ]
  grep -F "'python3' is $PWD/mine/python3 here, and /usr/bin/python3 on node[1-2]" said
  grep -F 'set environment.pass: [PYTHONPATH]' said
}

@test "one line starts the ranks of all hosts, and --dry-run prints a file that does the same" {
  torchrun --nnodes=2 --nproc-per-node=2 --master_addr=node1 --node-rank=0 show_start.py out --lr 0.1 2>said
  grep -q '^--node-rank=0 has no effect: ddpsubmit starts the ranks of all nodes$' said
  grep -q '^--master_addr has no effect' said
  jq -r '[.environment | .RANK, .LOCAL_RANK, .GROUP_RANK, .GROUP_WORLD_SIZE, .WORLD_SIZE] | join(" ")' out/start.{0,1,2,3}.json >places
  diff places - <<'END'
0 0 0 2 4
1 1 0 2 4
2 0 1 2 4
3 1 1 2 4
END
  rm -r out
  torchrun --dry-run --nnodes=2 --nproc-per-node=2 show_start.py out >two.yaml
  "$DDPSUBMIT" run two.yaml
  [ "$(jq -r .environment.WORLD_SIZE out/start.3.json)" = 4 ]
}

@test "--nnodes=1:2 starts with one host when the other does not answer" {
  shorten pulse lease drain absence
  cut_off node2
  torchrun --nnodes=1:2 --set ssh.connect_timeout=5s show_start.py out
  [ "$(jq -r '.environment | .WORLD_SIZE + " " + .GROUP_WORLD_SIZE' out/start.0.json)" = '1 1' ]
}
