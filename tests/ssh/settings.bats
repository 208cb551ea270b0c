# What ~/.ssh/config, `ssh.hosts` and host files say of a host, in many forms: the host's sshd sees from ddpsubmit what it sees from ssh: the
# same host, port, user and key. Or there is an error that names what is wrong. The hosts listen on 22 and 2222, also at fd00:77::N.

bats_require_minimum_version 1.5.0
load ../support/run_records
load ../support/ssh_hosts
load ../support/second_try

setup_file() {
  local i
  ip addr add fd00:77::254/64 dev bridge0 nodad
  for i in 1 2 3; do
    ip -n "node$i" addr add "fd00:77::$i/64" dev eth0 nodad
    for name in "gpu_$i" "gpu-$i-" "[node$i]:2222" "[gpu_$i]:2222" "fd00:77::$i" "[fd00:77::$i]:2222"; do
      echo "$name $(cut -d ' ' -f 1,2 "/run/rig/node$i/host_key.pub")"
    done
  done >>/root/.ssh/known_hosts
  for i in 1 2 3; do echo "10.77.0.$i gpu_$i gpu-$i-"; done >>/run/rig/hosts
}

setup() {
  isolate_user
  ssh-keygen -q -t ed25519 -N '' -f other
  cp other.pub third.pub
  cp -a /root/.ssh "$BATS_TEST_TMPDIR/ssh"
}

teardown() {
  rm -rf /root/.ssh/*
  cp -a "$BATS_TEST_TMPDIR"/ssh/. /root/.ssh
  [[ -z ${SSH_AGENT_PID-} ]] || kill "$SSH_AGENT_PID"
}

# seen COMMAND...: how a login of the command looks to all sshds: host, user, key and port of each session.
seen() {
  local i port
  for i in 1 2 3; do : >"/run/rig/node$i/sshd.log"; done
  "$@" &>said </dev/null || return
  for i in 1 2 3; do
    port=$(sed -n 's/^Connection from .* on \([^ ]*\) port \([0-9]*\).*/\1 \2/p' "/run/rig/node$i/sshd.log" | sort -u | paste -sd ' ')
    sed -n "s/^Accepted publickey for \([^ ]*\) .*: \(.*\)/node$i \1 \2 $port/p" "/run/rig/node$i/sshd.log"
  done | sort -u
}

# run_on HOST: `hosts` is what the configuration calls the host.
run_on() {
  "$DDPSUBMIT" run run.yaml launcher=ssh run_root=runs "ssh.hosts=$1" ssh.connect_timeout=5s
}

# same CONFIG HOST [SSH_ARGUMENT...]: a run on HOST with this ~/.ssh/config is to the hosts what `ssh SSH_ARGUMENT...` is, or `ssh HOST`.
same() {
  local config=$1 host=$2 by_ssh by_run
  shift 2
  (($#)) || set -- "$host"
  echo 'command: ["true"]' >run.yaml
  printf '%s\n' "$config" >/root/.ssh/config
  by_ssh=$(seen ssh -o BatchMode=yes "$@" true) || { echo "ssh $*: $(<said)" && return 1; }
  by_run=$(seen run_on "[\"$host\"]") || { echo "$host: $(<said)" && return 1; }
  [[ -n $by_ssh && $by_ssh == "$by_run" ]] || { printf 'ssh:\n%s\nddpsubmit:\n%s\n' "$by_ssh" "$by_run" && return 1; }
}

@test "names: underscores, a '-' at the end, addresses, ports, users" {
  same '' gpu_1
  same '' gpu-1-
  same '' 10.77.0.1
  same '' fd00:77::1
  same '' '[fd00:77::1]:2222' -p 2222 fd00:77::1
  same '' node1:2222 -p 2222 node1
  same '' gpu_1:2222 -p 2222 gpu_1
  same '' cshuser@node2
  same '' cshuser@gpu_2:2222 -p 2222 cshuser@gpu_2
  same $'Host alias_\n  HostName 10.77.0.3' alias_
  same $'Host A_b\n  HostName gpu_3\n  Port 2222\n  User cshuser' A_b
  same $'Host six\n  HostName fd00:77::2' six
}

@test "~/.ssh/config: patterns, Match, Include, tokens, and what a command line would win over" {
  same $'Host node?\n  User cshuser\nHost *\n  Port 2222' node1
  same $'Match host node2\n  User cshuser' node2
  same $'Match originalhost big exec true\n  HostName node3' big
  printf 'Host inner\n  HostName node2\n' >/root/.ssh/more
  same "Include /root/.ssh/more" inner
  same $'Host big\n  HostName node3\nMatch final host node3\n  User cshuser' big
  same $'Host 1 2 3\n  HostName node%h' 2
  same $'Host node1\n  User cshuser\n  Port 2222' noisyuser@node1:22 -p 22 noisyuser@node1
}

@test "hosts behind others: ProxyJump and ProxyCommand, also by names that libssh refuses" {
  same $'Host jump_host\n  HostName node3\nHost node1\n  ProxyJump jump_host' node1
  same $'Host gpu_2\n  ProxyJump cshuser@gpu_1:2222' gpu_2
  same $'Host gpu_2\n  ProxyJump gpu_3,gpu_1' gpu_2
  same $'Host six_\n  HostName fd00:77::2\n  ProxyJump cshuser@[fd00:77::1]:2222' six_
  same $'Host hidden_name\n  HostName gpu_1\n  ProxyCommand ssh -W %h:%p -l %r node2\n  User cshuser' hidden_name
}

@test "host keys: HostKeyAlias, files of known hosts, a key of another type" {
  sed -i 's/^node1,10.77.0.1/aliasone/' /root/.ssh/known_hosts
  same $'Host gpu-a\n  HostName 10.77.0.1\n  HostKeyAlias aliasone' gpu-a
  mv /root/.ssh/known_hosts elsewhere
  same "UserKnownHostsFile $PWD/elsewhere" node2
  ssh-keygen -q -H -f elsewhere
  same "UserKnownHostsFile $PWD/missing $PWD/elsewhere" node3
  same "UserKnownHostsFile $PWD/new_one
    StrictHostKeyChecking accept-new" gpu_3
  cp new_one written
  same "UserKnownHostsFile $PWD/written
    StrictHostKeyChecking yes" gpu_3
}

@test "a host that is known by its old kind of key only is not called changed" {
  ssh-keygen -q -t rsa -N '' -f rsa_host
  sed -i "1i HostKey $PWD/rsa_host" /run/rig/sshd_config
  stop_sshd node1
  start_sshd node1
  echo "node1 $(cut -d ' ' -f 1,2 rsa_host.pub)" >only_rsa
  same "UserKnownHostsFile $PWD/only_rsa" node1
}

@test "keys: the named ones first, and alone where IdentitiesOnly says so; also those that the agent holds" {
  local i
  eval "$(ssh-agent -s)" >/dev/null
  for i in 1 2 3 4 5 6 7 8; do
    ssh-keygen -q -t ed25519 -N '' -C "key $i" -f "k$i"
    ssh-add -q "k$i"
  done
  same $'Host node*\n  IdentitiesOnly yes\n  IdentityFile ~/.ssh/id_ed25519' node1
  mv /root/.ssh/id_ed25519 private
  mv /root/.ssh/id_ed25519.pub public.pub
  ssh-add -q private
  same "IdentityFile $PWD/public.pub
    IdentitiesOnly yes" node2
  same "IdentityFile $PWD/public
    IdentitiesOnly yes" node2
  same "IdentityAgent none
    IdentityFile $PWD/private" node3
  same "IdentityFile \"$PWD/%d/../private\"
    IdentityFile $PWD/private
    IdentitiesOnly yes" node3
  mkdir 'with blank'
  cp private 'with blank/key'
  same "IdentityFile \"$PWD/with blank/key\"
    IdentitiesOnly yes" node1
  # ssh shows the keys of the agent first; the one that the run names comes before them.
  : >/root/.ssh/config
  "$DDPSUBMIT" run run.yaml launcher=ssh run_root=runs 'ssh.hosts=[node1]' ssh.identity_file=private
}

# refused WORDS OPTION...: a run on node1 ends with these words.
refused() {
  local words=$1
  shift
  run "$DDPSUBMIT" run run.yaml launcher=ssh run_root=runs ssh.connect_timeout=5s 'ssh.hosts=[node1]' "$@"
  [[ $status -ne 0 && $output == *"$words"* ]] || { printf '%s\nwanted: %s\n' "$output" "$words" && return 1; }
}

@test "refusals: a configuration that ssh refuses, a key of each kind that is of no use" {
  echo 'command: ["true"]' >run.yaml
  printf 'Host node1\n  Port abc\n' >/root/.ssh/config
  refused 'config line 2: Bad port'
  printf 'Nonsense yes\n' >/root/.ssh/config
  refused "Bad configuration option: nonsense"
  rm /root/.ssh/config
  chmod 644 /root/.ssh/id_ed25519
  refused "others can read the private key '/root/.ssh/id_ed25519' (mode 0644)"
  refused 'chmod 600 /root/.ssh/id_ed25519'
  chmod 600 /root/.ssh/id_ed25519
  ssh-keygen -q -p -N secret -f /root/.ssh/id_ed25519
  refused "the key '/root/.ssh/id_ed25519' has a passphrase, and the ssh agent does not hold it"
  refused 'ssh-add /root/.ssh/id_ed25519'
  rm /root/.ssh/id_ed25519*
  refused 'ssh-copy-id root@node1' ssh.user=root
  mv other other.pub /root/.ssh
  mv /root/.ssh/other /root/.ssh/id_ed25519
  refused 'no key is accepted for user root; tried /root/.ssh/id_ed25519'
  refused 'ssh-copy-id -p 2222 node1' ssh.port=2222
}

@test "a host that takes passwords only is no wrong key" {
  echo 'command: ["true"]' >run.yaml
  sed -i 's/^AuthenticationMethods .*/AuthenticationMethods any\nPasswordAuthentication yes\nPubkeyAuthentication no/' /run/rig/sshd_config
  stop_sshd node1
  start_sshd node1
  refused 'user root cannot log in with a key, only with: password'
  sed -i '/^PasswordAuth/d; /^Pubkey/d; s/^AuthenticationMethods .*/AuthenticationMethods publickey/' /run/rig/sshd_config
  stop_sshd node1
  start_sshd node1
}

@test "login shells that never run a command, or end at once: what was seen, and how to look" {
  echo 'command: ["true"]' >run.yaml
  printf 'while :; do echo "Waiting for /data"; sleep 1; done\n' >/root/.bashrc
  refused "its login shell has not run what it was asked to within 30 s; it printed 'Waiting for /data'"
  [[ $output == *"within 10 s; it printed 'Waiting for /data'; waiting 20 s more"* ]]
  [[ $output == *"'ssh node1 echo works' must print 'works'"* ]]
  echo 'exit 0' >/root/.bashrc
  refused 'its login shell ended without a word'
  printf 'printf "account expired"\nexit 1\n' >/root/.bashrc
  refused 'has ended: account expired'
  rm /root/.bashrc
}

@test "one key that is of no use does not hide the next; what is named comes first, and ssh's own keys last" {
  echo 'command: ["true"]' >run.yaml
  ssh-keygen -q -t rsa -b 2048 -N secret -f /root/.ssh/id_rsa
  cat /root/.ssh/id_rsa.pub >>/run/rig/authorized_keys
  same '' node1
  ssh-keygen -q -p -P secret -N '' -f /root/.ssh/id_rsa
  chmod 644 /root/.ssh/id_rsa
  same '' node1
  "$DDPSUBMIT" run run.yaml launcher=ssh run_root=runs 'ssh.hosts=[node1]' ssh.identity_file=other
  refused "ssh.identity_file '$PWD/nokey' does not exist" ssh.identity_file=nokey
  ssh-keygen -q -t rsa -b 2048 -m PEM -N secret -f pem
  rm pem.pub
  "$DDPSUBMIT" run run.yaml launcher=ssh run_root=runs 'ssh.hosts=[node1]' ssh.identity_file=pem </dev/null
  printf 'Host node1\n  PubkeyAuthentication no\n' >/root/.ssh/config
  refused "has 'PubkeyAuthentication no' for it"
}

@test "more keys than a host looks at: it is said what was tried, and how to name the right one" {
  local i
  echo 'command: ["true"]' >run.yaml
  eval "$(ssh-agent -s)" >/dev/null
  for i in 1 2 3 4 5 6 7 8; do
    ssh-keygen -q -t ed25519 -N '' -C "key $i" -f "k$i"
    ssh-add -q "k$i"
  done
  refused 'it closed the connection, or did not answer, after'
  [[ $output == *'key 1 of the ssh agent'*'IdentitiesOnly yes'* && $output != *'id_ed25519'* ]]
}

@test "host keys as ssh judges them: other ports, lists of kinds, patterns that exclude, revoked keys, files with blanks" {
  echo 'command: ["true"]' >run.yaml
  cp /root/.ssh/known_hosts all
  echo "node1 $(cut -d ' ' -f 1,2 other.pub)" >/root/.ssh/known_hosts
  refused 'the host key of node1 is unknown' ssh.port=2222
  same "UserKnownHostsFile $PWD/all
    RevokedHostKeys $PWD/other.pub" node2
  printf 'RevokedHostKeys /run/rig/node1/host_key.pub\nUserKnownHostsFile %s\n' "$PWD/all" >/root/.ssh/config
  refused 'the host key of node1 is revoked'
  sed 's/^node1/!node1,node*/' all | grep -v fd00 | grep '^!' >excluded
  echo "UserKnownHostsFile $PWD/excluded" >/root/.ssh/config
  refused 'the host key of node1 is unknown'
  mkdir 'with blank'
  sed 's/ ssh-/\tssh-/' all >'with blank/hosts'
  same "UserKnownHostsFile \"$PWD/with blank/hosts\"" node3
  printf 'HostKeyAlgorithms ecdsa-sha2-nistp256\nUserKnownHostsFile %s\n' "$PWD/all" >/root/.ssh/config
  refused 'no ssh connection'
}

@test "an interface that the hosts do not have ends the start at once, with its name" {
  echo 'command: ["true"]' >run.yaml
  refused "this host has no interface 'ib9' that is up and has an address; rendezvous.interface can be one of: eth0, lo" \
    rendezvous.interface=ib9 'ssh.hosts=[node1, node2]' resources.nodes=2
  run ! grep -rq code runs/*/exits
  refused "'^lo' is not the name of one interface" rendezvous.interface=^lo
}

# with_file LINES: a run on the two hosts of a file.
with_file() {
  printf '%b' "$1" >hosts.txt
  printf 'launcher: ssh\nrun_root: runs\nresources: {nodes: 2}\nssh: {host_file: hosts.txt, connect_timeout: 5s}\ncommand: [hostname]\n' >run.yaml
  "$DDPSUBMIT" run run.yaml
}

@test "host files in the forms of Open MPI, DeepSpeed and others" {
  local lines
  for lines in 'node1\nnode2\n' 'root@node1 slots=2\ncshuser@node2 slots=1\n' 'node1 slots=1 max_slots=2\nnode2 max-slots=1\n' \
    'node1 slots = 1\nnode2 slots =1\n' 'node1:2222\ngpu_2:22\n' 'node1 port=2222\n\n# a comment\nnode2 slots=1 # one\n' \
    'fd00:77::1\n[fd00:77::2]:2222\n' 'node1 slots=1\r\nnode2 slots=1\r\n' '10.77.0.1\n10.77.0.2 slots=4'; do
    with_file "$lines" >printed || { echo "$lines" && return 1; }
    [ "$(sort printed | paste -sd ,)" = '[r0] node1,[r1] node2' ]
  done
  run with_file 'node1:1\nnode2:1\n'
  [[ $status -eq 3 && $output == *"hosts.txt:1:1"*"slots=1"*"port"* && $output == *"hosts.txt:2:1"* ]]
  run with_file 'node1 gpus=1\nnode2 boards=2\n'
  [[ $status -eq 3 && $output == *"'gpus=1'"* && $output == *"'boards=2'"* ]]
  run with_file 'node1 slots=2 max_slots=1\nnode2\n'
  [[ $status -eq 3 && $output == *'max_slots'* ]]
  run with_file '@node1\nroot@\n'
  [[ $status -eq 3 && $output == *'hosts.txt:1:1'* && $output == *'hosts.txt:2:1'* ]]
}

@test "hosts and their user and port as a map; what cannot be a name is refused where it stands" {
  echo 'command: [hostname]' >run.yaml
  "$DDPSUBMIT" run run.yaml launcher=ssh run_root=runs resources.nodes=2 \
    'ssh.hosts=[{host: gpu_a, address: gpu_1, port: 2222}, {host: node2, user: cshuser}]' --accept-new-host-keys >printed
  [ "$(sort printed | paste -sd ,)" = '[r0] node1,[r1] node2' ]
  local name
  for name in -node1 'node1;id' 'no de' "\$(id)" 'node1:port' 'node1:99999' '[node1' 'user@-oProxyCommand=id'; do
    refused 'is not a valid name for ssh' "ssh.hosts=[\"$name\"]"
  done
}
