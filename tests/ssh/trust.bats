# Hosts and users who are not let in: exit 4, with what to do, and no question to anybody.
# shellcheck disable=SC2016,SC2034 # what is in single quotes is for the shell of the ranks; run_records.bash reads run_folder

load ../support/run_records
load ../support/ssh_hosts
load ../support/second_try

setup() {
  isolate_user
  cp -a /root/.ssh "$BATS_TEST_TMPDIR/ssh"
  cat >run.yaml <<'CONFIG'
launcher: ssh
run_root: runs
resources: {nodes: 2}
ssh: {hosts: [node1, node2], connect_timeout: 5s}
command: ["true"]
CONFIG
}

teardown() {
  rm -rf /root/.ssh/*
  cp -a "$BATS_TEST_TMPDIR"/ssh/. /root/.ssh
}

# refused [OPTION...]: `run` of run.yaml, with nobody to answer it.
refused() {
  run "$DDPSUBMIT" run run.yaml "$@" </dev/null
  [ "$status" -eq 4 ]
  [ ! -e runs ]
}

fingerprint() { ssh-keygen -lf "$1" | cut -d ' ' -f 2; }

@test "an unknown key: its fingerprint, and how to take it; then it is known" {
  ssh-keygen -q -R node2
  refused
  [[ $output == *"the host key of node2 is unknown: ssh-ed25519 $(fingerprint /run/rig/node2/host_key.pub)"* ]]
  [[ $output == *--accept-new-host-keys* ]]
  "$DDPSUBMIT" run run.yaml --accept-new-host-keys
  "$DDPSUBMIT" run run.yaml
}

@test "a key that has changed: both fingerprints; it is not taken with --accept-new-host-keys either" {
  local before
  before=$(fingerprint /run/rig/node1/host_key.pub)
  change_host_key node1
  refused --accept-new-host-keys
  [[ $output == *"the host key of node1 has changed"*"$(fingerprint /run/rig/node1/host_key.pub)"*"$before"* ]]
  [[ $output == *"ssh-keygen -f /root/.ssh/known_hosts -R 'node1'"* ]]
  ssh-keygen -q -R node1
  "$DDPSUBMIT" run run.yaml --accept-new-host-keys
  cp /root/.ssh/known_hosts "$BATS_TEST_TMPDIR/ssh/known_hosts"
}

@test "a revoked key is refused, though the host has it" {
  echo "@revoked * $(cut -d ' ' -f 1,2 /run/rig/node2/host_key.pub)" >>/root/.ssh/known_hosts
  refused
  [[ $output == *'the host key of node2 is revoked'* ]]
}

@test "no key and no agent, or a user whom nobody knows: all hosts are named" {
  refused ssh.user=nobody-here
  [[ $output == *'node1: '*'user nobody-here'* && $output == *'node2: '* ]]
  rm /root/.ssh/id_ed25519
  refused
  [[ $output == *'ssh-add'* && $output == *'node1: '* && $output == *'node2: '* ]]
}

@test "a key of the agent, and one that the file names" {
  mv /root/.ssh/id_ed25519 "$BATS_TEST_TMPDIR/elsewhere"
  "$DDPSUBMIT" run run.yaml ssh.identity_file=elsewhere
  eval "$(ssh-agent -s)"
  ssh-add -q elsewhere
  "$DDPSUBMIT" run run.yaml
  "$DDPSUBMIT" run run.yaml 'ssh.user=CORP\ann' 'command=[printenv, LOGNAME]' >printed
  [ "$(grep -cF 'CORP\ann' printed)" -eq 2 ]
  kill "$SSH_AGENT_PID"
}

@test "a host that does not answer is named within the time-out: exit 10" {
  cut_off node2
  run "$DDPSUBMIT" run run.yaml
  reconnect node2
  [ "$status" -eq 10 ]
  [[ $output == *'node2: no ssh connection: '* && $output != *'node1: '* ]]
  stop_sshd node1
  run "$DDPSUBMIT" run run.yaml
  start_sshd node1
  [ "$status" -eq 10 ]
  [[ $output == *'node1: no ssh connection: '*refused* ]]
}

@test "shells of any kind, and whatever they print" {
  local user
  for user in cshuser fishuser noisyuser; do
    "$DDPSUBMIT" run run.yaml "ssh.user=$user" 'command=[sh, -c, "echo $RANK"]' >printed
    [ "$(sort printed | paste -sd ,)" = '[r0] 0,[r1] 1' ]
  done
  run "$DDPSUBMIT" run run.yaml ssh.user=nologinuser
  [ "$status" -eq 10 ]
}

@test "a shell that has ended before it was told anything: its reason is told, exit 10" {
  # ddpsubmit looks late at what has come in.
  run strace -f -qq -o strace.log -e trace=poll -e inject=poll:delay_enter=100000 "$DDPSUBMIT" run run.yaml ssh.user=nologinuser
  [ "$status" -eq 10 ]
  [[ $output == *'account is currently not available'* ]]
}

# Host second is behind first.
name_hosts() {
  cat >/root/.ssh/config <<'CONFIG'
Host first
  HostName node1
Host second
  HostName node2
  ProxyJump node1
CONFIG
}

@test "~/.ssh/config: names, ports and hosts behind others" {
  name_hosts
  "$DDPSUBMIT" run run.yaml 'ssh.hosts=[first, second]' 'command=[sh, -c, "hostname"]' >printed
  [ "$(sort printed | paste -sd ,)" = '[r0] node1,[r1] node2' ]
}

@test "the program of a ProxyJump dies: what is asked next goes through another one" {
  name_hosts
  "$DDPSUBMIT" run run.yaml 'ssh.hosts=[second, first]' 'command=[sh, -c, "touch up.$RANK; sleep 1000"]' &>said 3>&- &
  submitter=$!
  eventually test -e up.0
  eventually test -e up.1
  run_folder=$(find "$PWD/runs" -mindepth 1 -maxdepth 1)
  pkill -KILL -P "$submitter" -x ssh
  kill -INT "$submitter"
  code=0
  wait "$submitter" || code=$?
  [ "$code" -eq 130 ]
  eventually no_process_of_run
}

@test "a ProxyJump that hears nothing more: Ctrl-C is heard, and the cancel is on record" {
  name_hosts
  "$DDPSUBMIT" run run.yaml 'ssh.hosts=[second, first]' 'command=[sh, -c, "touch up.$RANK; sleep 1000"]' &>said 3>&- &
  submitter=$!
  eventually test -e up.0
  eventually test -e up.1
  run_folder=$(find "$PWD/runs" -mindepth 1 -maxdepth 1)
  sed -i 's/ProxyJump .*/ProxyCommand sleep 999/' /root/.ssh/config
  pkill -KILL -P "$submitter" -x ssh
  eventually grep -q 'asking again' said
  eventually pgrep -P "$submitter" -x sleep
  kill -INT "$submitter"
  eventually grep -q 'its cancel is recorded' said
  eventually has_ended "$submitter"
  code=0
  wait "$submitter" || code=$?
  [ "$code" -eq 130 ]
  eventually no_process_of_run
}

@test "a folder that only this machine has is no run_root for shared hosts" {
  mkdir -p /scratch
  run "$DDPSUBMIT" run run.yaml run_root=/scratch/runs
  [ "$status" -eq 10 ]
  [[ $output == *"node1: it does not see the same '/scratch'"* && $output == *"node2: it does not see"* ]]
}
