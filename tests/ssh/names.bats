# How hosts are named and reached: ~/.ssh/config, and a file of hosts. Their sshd listens on port 2222.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/run_records
load ../support/ssh_hosts
load ../support/second_try

setup() {
  isolate_user
  mkdir keys
  mv /root/.ssh/id_* keys
  cat >/root/.ssh/config <<CONFIG
Host one two
  Port 2222
  User cshuser
  IdentityFile $PWD/keys/id_ed25519
Host one
  HostName node1
Host two
  HostName node2
CONFIG
  cat >hosts.txt <<'HOSTS'
one slots=2
two slots=1 # the small one
HOSTS
  cat >run.yaml <<'CONFIG'
launcher: ssh
run_root: runs
resources: {nodes: 2}
ssh: {host_file: hosts.txt, connect_timeout: 5s}
command: [sh, -c, 'printf "%s\n" "$RANK $(hostname) $LOGNAME"']
CONFIG
}
teardown() {
  mv keys/id_* /root/.ssh
  rm /root/.ssh/config
}

@test "HostName, Port, User and IdentityFile of ~/.ssh/config, for hosts of a host file" {
  "$DDPSUBMIT" run run.yaml --accept-new-host-keys >printed
  [ "$(sort printed | paste -sd ,)" = '[r0] 0 node1 cshuser,[r1] 1 node2 cshuser' ]
}

@test "a login name of a domain" {
  "$DDPSUBMIT" run run.yaml --accept-new-host-keys 'ssh.user=CORP\ann' >printed
  [ "$(sort printed | paste -sd ,)" = '[r0] 0 node1 CORP\ann,[r1] 1 node2 CORP\ann' ]
  run "$DDPSUBMIT" run run.yaml 'ssh.user=CORP\eve'
  [ "$status" -eq 4 ]
  [[ $output == *"ssh-copy-id 'CORP\eve@one'"* ]]
}

@test "a host has no more ranks than slots" {
  run "$DDPSUBMIT" run run.yaml resources.tasks_per_node=2
  [ "$status" -eq 3 ]
  [[ $output == *'2 hosts with 2 slots are needed, and 1 of 2 have that many'* ]]
}

@test "what the run says goes before ~/.ssh/config; what is to be tried by hand has it, too" {
  run "$DDPSUBMIT" run run.yaml ssh.port=2223
  [ "$status" -eq 10 ]
  [[ $output == *'one: no ssh connection'*'try: ssh -p 2223 one true'* ]]
  run "$DDPSUBMIT" run run.yaml ssh.user=nobody
  [ "$status" -eq 4 ]
}
