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
