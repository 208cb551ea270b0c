# Two users on one machine, of one group: neither reads, ends, or misleads the runs of the other one.

load ../support/local_run

setup() {
  ((EUID == 0)) || skip 'it takes root to be two users'
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  place=$(mktemp -d)
  chmod 755 "$place"
  make_user alice $((2000000000 + BASHPID)) # numbers that nobody has
  make_user bob $((2010000000 + BASHPID))
  as alice test -x "$DDPSUBMIT" || skip 'another user cannot reach ddpsubmit'
  install -d -g "$team" -m 2770 "$place/team"
  install -d -o "${ids[alice]}" -g "$team" -m 2770 "$place/team/runs"
}

teardown() {
  pkill -KILL -u "${ids[alice]},${ids[bob]}" || true
  rm -rf "$place"
}

declare -gA ids
team=2020000000
privileges=()
make_user() {
  ids[$1]=$2
  install -d -o "$2" -g "$team" -m 700 "$place/$1"
}

# as USER COMMAND...: at home.
as() {
  local id=${ids[$1]}
  (cd "$place/$1" && HOME=$PWD XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config XDG_CACHE_HOME=$PWD/cache \
    setpriv --reuid "$id" --regid "$team" --clear-groups "${privileges[@]}" "${@:2}")
}

# write_for USER COMMAND: run.yaml, of a run in the folder of the group.
write_for() {
  (cd "$place/$1" && write_config 2 "$2" && sed -i "s|^run_root: .*|run_root: $place/team/runs|" run.yaml)
}

# start_for USER COMMAND: sets run_id and run_folder.
start_for() {
  write_for "$1" "$2"
  run_id=$(as "$1" "$DDPSUBMIT" run run.yaml --detach)
  run_folder=$place/team/runs/$run_id
}

succeeded_for() {
  as "$1" "$DDPSUBMIT" wait "$2"
  [ "$(as "$1" "$DDPSUBMIT" status "$2" --json | jq -r '.runs[0].state')" = succeeded ]
}

@test "a run cannot be asked for, read or ended by another user, whose own run of that name goes on beside it" {
  local verb of_alice of_bob
  start_for alice 'sleep 8'
  of_alice=$run_id
  for verb in status logs cancel rerun describe wait; do
    run as bob "$DDPSUBMIT" "$verb" "$of_alice"
    echo "$verb: $status $output"
    [ "$status" -eq 5 ]
  done
  run as bob ls "$run_folder"
  [ "$status" -ne 0 ]
  start_for bob 'sleep 1'
  of_bob=$run_id
  [ "$(as bob "$DDPSUBMIT" list --json | jq -r '.runs[].run_id')" = "$of_bob" ]
  succeeded_for bob "$of_bob"
  succeeded_for alice "$of_alice"
}

@test "a folder of another user in the place of a run: it is not started again, and nothing in it is run" {
  start_for alice 'exit 3'
  as alice "$DDPSUBMIT" wait "$run_id" || true
  cp -r "$run_folder" "$place/changed"
  grep -rl 'exit 3' "$place/changed" | xargs sed -i "s|exit 3|touch $place/team/hacked|"
  chown -R "${ids[bob]}:$team" "$place/changed"
  chmod -R a+rwX "$place/changed"
  as bob mv "$run_folder" "$run_folder.away"
  mv "$place/changed" "$run_folder"
  run as alice "$DDPSUBMIT" rerun "$run_id"
  [ "$status" -ne 0 ]
  [[ $output == *"belongs to"* ]]
  [ ! -e "$place/team/hacked" ]
}

# ports_of USER: those on which processes of the user listen.
ports_of() { ss --no-header --listening --numeric --tcp --extended | grep "uid:${ids[$1]} " | awk '{print $4}' | sed 's/.*://' | sort -u; }
listens() { [[ -n $(ports_of "$1") ]]; }

@test "a training goes on though another user talks to each of its ports" {
  local port noise
  privileges=(--inh-caps +dac_read_search --ambient-caps +dac_read_search) # LibTorch may be in a folder of root
  run_id=$(as alice "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" resources.tasks_per_node=2 train.epochs=null \
    train.max_steps=3000 run_root="$place/team/runs" --detach)
  privileges=()
  eventually listens alice
  for noise in zeros random text nothing; do
    for port in $(ports_of alice); do
      # shellcheck disable=SC2016 # for the other shell
      as bob timeout 5 bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$0" || exit 0
        case $1 in
          zeros) head -c 4096 /dev/zero >&3 ;;
          random) head -c 4096 /dev/urandom >&3 ;;
          text) printf "GET / HTTP/1.0\r\n\r\n" >&3 ;;
          nothing) sleep 2 ;;
        esac' "$port" "$noise" 2>/dev/null || true
    done
  done
  succeeded_for alice "$run_id"
}
