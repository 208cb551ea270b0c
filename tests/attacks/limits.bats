# Runs under small limits (ulimit): they succeed, or an error is told that names the limit; nothing hangs, crashes, or stays.
# shellcheck disable=SC2016 # what is in single quotes is for the shells of the ranks and of the limit

load ../support/attacks
load ../support/local_run

setup() {
  isolate_user
  somebody=()
  write_config 4 'echo "rank $RANK"'
}

teardown() { [[ -z ${folder_of_somebody:-} ]] || rm -rf "$folder_of_somebody"; }

# under LIMIT ARGUMENT...: ddpsubmit ARGUMENT... under ulimit LIMIT, with no other file open than the usual three; sets status and output.
under() {
  limit=$1
  run timeout --kill-after=5 120 "${somebody[@]}" bash -c '
    for file in /proc/self/fd/*; do ((${file##*/} <= 2)) || eval "exec ${file##*/}>&-"; done
    ulimit $1 && exec "${@:2}"' _ "$limit" "$DDPSUBMIT" "${@:2}" </dev/null
}

causes='Too many open files|File too large|File size limit exceeded|Resource temporarily unavailable|Cannot allocate memory'
causes+='|failed to map segment|out of memory'

# bears_limit: what `under` has started succeeded, or failed with an error that names the limit; no process of it is left.
bears_limit() {
  echo "# under ulimit $limit: exit code $status"
  echo "$output"
  if ((status != 0)); then
    ((status <= 10))
    grep -q '^error: ' <<<"$output"
    grep -qE "$causes" <<<"$output"
  fi
  ! grep -E 'terminate called|what\(\):|std::' <<<"$output" || return
  use_only_run
  [[ -z $run_folder ]] || eventually no_process_of_run
  rm -rf runs
}

train() {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  under "$1" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" train.max_steps=20 train.checkpoint.every_steps=10 \
    fault_tolerance.max_restarts=1
}

@test "few open files: a command with four ranks runs with 64 of them, and says what is missing with fewer" {
  local number
  under '-n 64' run run.yaml
  [ "$status" -eq 0 ]
  bears_limit
  for number in 32 24 20 10 8 6 4; do
    under "-n $number" run run.yaml
    bears_limit
  done
}

@test "so few open files that head cannot begin: its error is told" {
  local number
  for number in 10 11 12 13; do
    under "-n $number" run run.yaml
    bears_limit
  done
}

@test "so few open files that the guard cannot open the logs of ranks: the run fails" {
  local number
  for number in 13 14 15 16; do
    under "-n $number" run run.yaml
    bears_limit
  done
}

@test "so few open files that ddpsubmit cannot read the ledger of a run that it follows: it says so" {
  local number
  write_config 16 'echo "rank $RANK"'
  for number in 27 32 38; do
    under "-n $number" run run.yaml
    bears_limit
  done
}

@test "few open files: a training runs with 64 of them, and says what is missing with fewer" {
  local number
  train '-n 64'
  [ "$status" -eq 0 ]
  bears_limit
  for number in 32 24 20; do
    train "-n $number"
    bears_limit
  done
}

@test "small files: a command runs, or says which file was too large" {
  local kib
  for kib in 0 1 2 8; do
    under "-f $kib" run run.yaml
    bears_limit
  done
}

@test "small files: a training runs, or says which file was too large" {
  local kib
  for kib in 0 4 8 16 64 1024; do
    train "-f $kib"
    bears_limit
  done
  [ "$status" -eq 0 ]
}

# become_somebody: root may have as many processes as it likes, so others run then, in a folder of their own.
become_somebody() {
  ((EUID == 0)) || return 0
  folder_of_somebody=$(mktemp -d)
  local uid=$((200000 + BASHPID))
  somebody=(setpriv --reuid "$uid" --regid "$uid" --clear-groups)
  cp run.yaml "$folder_of_somebody"
  cd "$folder_of_somebody" || return
  export HOME=$PWD XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config
  chown -R "$uid:$uid" .
  "${somebody[@]}" test -x "$DDPSUBMIT" -a -w . || skip 'another user cannot reach ddpsubmit, or the folder of temporary files'
}

# Threads count, too.
processes_there_are() { if ((EUID == 0)); then echo 0; else ps -L -u "$EUID" -o pid= | wc -l; fi; }

@test "few processes: a command runs, or says what could not be started" {
  local more
  become_somebody
  for more in 1 2 3 4 5 6 16; do
    under "-u $(($(processes_there_are) + more))" run run.yaml
    bears_limit
  done
}

@test "little memory: a command runs, or says that there is too little" {
  local kib
  for kib in 200000 50000 20000; do
    under "-v $kib" run run.yaml
    bears_limit
  done
}

ddpsubmit_bears_little_memory() {
  local limit
  for limit in '-v 10000' '-v 9400' '-v 9200' '-v 9000' '-d 600' '-d 500' '-d 400' '-d 300'; do
    under "$limit" run run.yaml
    bears_limit
  done
}

@test "so little memory that ddpsubmit itself has none: it says so" {
  known_weakness 'with ulimit -v 9000, and with ulimit -d 300 to 400, it ends with an uncaught std::bad_alloc (SIGABRT)' ddpsubmit_bears_little_memory
}

@test "little memory: a training runs, or says that there is too little" {
  local kib
  for kib in 100000 2000000; do
    train "-v $kib"
    bears_limit
  done
}

ranks_bear_little_memory() {
  local kib
  for kib in 400000 450000 600000; do
    train "-v $kib"
    bears_limit
  done
}

@test "so little memory that a rank has none: it says so" {
  known_weakness 'ddptrain ends with an uncaught std::bad_alloc (SIGABRT) with ulimit -v 400000 to 425000, without a word with 600000' ranks_bear_little_memory
}

@test "a small stack: a command runs, and its logs and all that is known of it are shown" {
  local kib
  for kib in 64 100 128 192; do
    under "-s $kib" run run.yaml
    [ "$status" -eq 0 ]
    under "-s $kib" logs last
    [[ $output == *'rank 3'* ]]
    under "-s $kib" describe last
    [ "$status" -eq 0 ]
  done
}
