# A host whose Debian is older than that of the submit host: what is pushed to it has to start there.
# shellcheck disable=SC2034 # in_debian reads NEEDS

load ../support/debian

setup_file() { [ -n "$SYSROOT" ] || skip 'the programs are built for this machine alone, without DDP_SYSROOT'; }

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  export XDG_STATE_HOME=$PWD/state
  write_two_files
  NEEDS=(openssh-server)
  cp /root/.ssh/id_ed25519.pub authorized_keys
  ssh-keygen -q -t ed25519 -N '' -f host_key
  echo "[127.0.0.1]:2222 $(<host_key.pub)" >>/root/.ssh/known_hosts
  start_old_host &
  server=$!
  eventually answers
}
teardown() { kill "$server" || true; }

# shellcheck disable=SC2016
start_old_host() {
  in_debian bullseye 'mkdir -p /run/sshd; exec /usr/sbin/sshd -D -f /dev/null -p 2222 -h "$PWD/host_key" -o UsePAM=no -o StrictModes=no \
    -o AuthorizedKeysFile="$PWD/authorized_keys"' 3>&-
}
answers() { ssh -p 2222 127.0.0.1 true; }

pushed=(launcher=ssh 'ssh.hosts=[127.0.0.1]' ssh.port=2222 ssh.stage=push)

@test "from Debian 12 to Debian 11: a program of one's own" {
  [ "$(ssh -p 2222 127.0.0.1 'ldd --version' | grep -o '[0-9.]*$' | head -n 1)" = 2.31 ]
  "$DDPSUBMIT" run hello.yaml "${pushed[@]}" --follow >printed
  grep 'rank 1 of 2' printed
}

@test "from Debian 12 to Debian 11: a training, to the same bytes" {
  "$DDPSUBMIT" run run.yaml "${pushed[@]}" run_root="$PWD/there" train.libtorch="$LIBTORCH" --follow
  local folder
  folder=$("$DDPSUBMIT" describe last --json | jq -r .checkpoint.folder)
  [[ $folder == 127.0.0.1:* ]]
  ssh -p 2222 127.0.0.1 cat "${folder#*:}/model.safetensors" >pushed.safetensors
  trained_alike pushed.safetensors
}
