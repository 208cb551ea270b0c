# `ddpsubmit top` on a real terminal, with real runs.

bats_require_minimum_version 1.5.0

load ../support/local_run
load ../support/tmux

setup() {
  command -v tmux >/dev/null || skip 'tmux is not installed'
  isolate_user
  cat >fit.yaml <<YAML # goes on until it is cancelled
name: fit
run_root: runs
resources: {tasks_per_node: 2, time: 3h}
train:
  program: $STAND_IN
  max_steps: 100000000
  model: {name: mlp, hidden_dims: [8]}
  data: {name: synthetic, samples: 256, batch_size: 32}
  optimizer: {name: sgd}
  log: {every_steps: 500}
YAML
}

teardown() {
  close_screen
  "$DDPSUBMIT" cancel last &>/dev/null || true
}

# start_training: one that goes on until it is cancelled.
start_training() {
  run_id=$("$DDPSUBMIT" run fit.yaml --detach 2>/dev/null)
}

# start_ended NAME SCRIPT: a run that has ended.
start_ended() {
  write_config 1 "$2"
  "$DDPSUBMIT" run run.yaml "name=$1" &>/dev/null || true
}

open_top() {
  open_screen "$1" "$2"
  type_line "$DDPSUBMIT top --interval 0.2 ${3:-}"
  eventually shows 'q quit'
}

is_cancelled() { [[ $(state_of_run) == cancelled ]]; }
state_is() { [[ $("$DDPSUBMIT" status "$1" --json | jq -r '.runs[0].state') == "$2" ]]; }

# copy_runs COUNT: the newest run so often, each under an id of its own.
copy_runs() {
  local id pointers=$XDG_STATE_HOME/ddpsubmit/runs
  id=$(basename "$pointers"/*.json .json)
  for ((i = 0; i < $1; ++i)); do
    cp -r "runs/$id" "runs/copy-$((10000 + i))"
    jq --arg id "copy-$((10000 + i))" --arg folder "$PWD/runs/copy-$((10000 + i))" '.run_id = $id | .name = "copy" | .run_dir = $folder' \
      "$pointers/$id.json" >"$pointers/copy-$((10000 + i)).json"
  done
}

@test "top lists runs, opens one, shows its ranks and its log, and goes back" {
  start_ended broken 'echo last words >&2; exit 3'
  start_training
  open_top 120 30
  eventually shows_line "^> $run_id +running +.*%.* [0-9.e-]+ +[0-9,]+ "
  eventually shows_line '^  broken-[a-z0-9]+ +FAILED +rank 0 .*3'
  press Enter
  eventually shows_line ' 0 .* step +[0-9]+ %'
  eventually shows_line '^> +0 '
  eventually shows_line '^ loss +[0-9.e-]+ +.*▁'
  eventually shows_line '^ time .*limit in 2 h'
  eventually shows 'log of rank 0'
  press Down
  eventually shows_line '^> +1 '
  eventually shows 'log of rank 1'
  press Escape
  eventually shows 'SAMPLES/S'
  press End Enter
  eventually shows_line '^ err last words'
  press BSpace
  eventually shows 'SAMPLES/S'
  press q
  eventually shows_not 'q quit'
}

@test "its keys: help, filter, sort" {
  start_ended alpha 'true'
  start_ended beta 'true'
  open_top 80 24
  eventually shows_line '^> beta-.* succeeded'
  press '?'
  eventually shows "start an ended run again, from its newest checkpoint"
  press x
  eventually shows 'q quit'
  press s s
  eventually shows 'by name'
  eventually shows_line 'beta-'
  [ "$(screen | grep -n -m 1 -- alpha- | cut -d: -f1)" -lt "$(screen | grep -n -m 1 -- beta- | cut -d: -f1)" ]
  press / b e t
  eventually shows_not 'alpha-'
  eventually shows 'filter: bet_'
  press Enter
  eventually shows "filter 'bet'"
  press Escape
  eventually shows 'alpha-'
}

@test "it cancels a run only after y, and starts one again" {
  start_training
  open_top 80 24
  eventually shows_line "^> $run_id +running"
  press c
  eventually shows "Cancel run $run_id? (y/n)"
  press n
  eventually shows 'nothing was changed'
  press c y
  eventually is_cancelled
  eventually shows_line "^> $run_id +cancelled"
  eventually shows "$run_id is being cancelled"
  press r
  eventually shows "Start run $run_id again? (y/n)"
  press y
  eventually shows_line "$run_id is started again"
  eventually shows_line "^> $run_id +running"
}

@test "what a verb says when it fails is shown" {
  start_ended fine 'true'
  open_top 80 24
  press r y
  eventually shows_line 'fine-[a-z0-9]+ is started again'
  eventually shows_line '^> fine-[a-z0-9]+ +succeeded'
  eventually state_is last succeeded
  rm runs/fine-*/spec.yaml
  press r y
  eventually shows_line 'rerun of fine-[a-z0-9]+ failed'
  eventually shows 'spec.yaml'
  press x
  eventually shows 'q quit'
}

@test "l follows the logs, Ctrl-C and any key come back" {
  start_training
  open_top 80 24
  eventually shows_line "^> $run_id +running"
  press l
  eventually shows_line '\[r0\] .*step [0-9]+/|step [0-9]+/100000000'
  shows_not 'q quit'
  press C-c
  eventually shows 'press any key to go back'
  press x
  eventually shows 'q quit'
  for key in q Escape; do
    press l
    eventually shows_line '\[r0\] .*step [0-9]+/|step [0-9]+/100000000'
    press Down
    press "$key"
    eventually shows 'q quit'
  done
  state_is last running
}

@test "the logs begin with how to leave them" {
  start_ended one 'echo said'
  open_top 80 24
  eventually shows_line '^> one-'
  press l
  eventually shows 'q or Esc goes back'
  shows 'said'
  eventually shows 'press any key to go back'
}

@test "a signal ends it while it waits for a key behind the logs" {
  start_training
  open_screen 80 24
  type_line "sh -c 'echo \$\$ >pid; exec $DDPSUBMIT top'; echo \$? >code"
  eventually shows_line "^> $run_id +running"
  press l
  eventually shows_line '\[r0\] .*step [0-9]+/|step [0-9]+/100000000'
  press C-c
  eventually shows 'press any key to go back'
  own_tmux resize-window -x 90 -y 24
  kill -TERM "$(<pid)"
  eventually test -s code
  [ "$(<code)" = 143 ]
}

@test "it follows the size of the terminal" {
  start_ended one 'true'
  open_top 80 24
  shows_not 'LAUNCHER'
  own_tmux resize-window -x 160 -y 50
  eventually shows 'LAUNCHER'
  own_tmux resize-window -x 20 -y 5
  eventually shows_not 'LAUNCHER'
  own_tmux resize-window -x 80 -y 24
  eventually shows 'q quit'
}

has_colours() { screen_with_colours | grep -q $'\e\[[0-9;]*3[0-7]m'; }

@test "NO_COLOR and terminals without colours get words alone" {
  start_ended broken 'exit 3'
  start_ended fine 'true' # the chosen row is reversed, without colours
  open_top 80 24
  eventually shows FAILED
  eventually has_colours
  press q
  eventually shows_not 'q quit'
  type_line "NO_COLOR=1 $DDPSUBMIT top"
  eventually shows FAILED
  screen_with_colours >coloured
  run ! grep -q $'\e\[[0-9;]*3[0-7]m' coloured
  press q
  eventually shows_not 'q quit'
  type_line "TERM=vt100 LC_ALL=C $DDPSUBMIT top"
  eventually shows FAILED
  screen_with_colours >coloured
  run ! grep -q $'\e\[[0-9;]*3[0-7]m' coloured
  run ! grep -qP '[^\x00-\x7f]' coloured
}

@test "a signal ends it, and leaves the terminal as it was" {
  start_ended one 'true'
  open_screen 80 24
  for signal in TERM HUP QUIT INT; do
    type_line "clear; stty -a >before; sh -c 'echo \$\$ >pid; exec $DDPSUBMIT top'; echo \$? >code; stty -a >after"
    eventually shows 'q quit'
    kill -"$signal" "$(<pid)"
    eventually test -s after
    diff before after
    [ "$(<code)" = "$([ $signal = INT ] && echo 0 || echo 143)" ]
    rm before after code pid
  done
}

@test "Ctrl-Z stops it, fg brings it back" {
  start_ended one 'true'
  open_top 80 24
  press C-z
  eventually shows 'Stopped'
  shows_not 'q quit'
  type_line fg
  eventually shows 'q quit'
}

@test "1,000 runs: all are read, and keys work meanwhile" {
  start_ended one 'true'
  copy_runs 999
  open_top 80 24
  eventually shows '1000 runs'
  press End
  eventually shows_line '^> [a-z]+-[a-z0-9]+ +succeeded'
  press / c o p y - 1 0 9 9 8 Enter
  eventually shows_line '^> copy-10998 +succeeded'
  shows_not 'copy-10997'
}

@test "names and logs cannot change the terminal" {
  start_ended evil "printf '\\033]0;title\\007\\033[2J wide \\346\\227\\245\\346\\234\\254 broken \\377\\n'; exit 1"
  open_top 80 24 last
  eventually shows_line 'wide 日本 broken \?'
  shows 'q quit'
}

@test "without a terminal it names what to use instead" {
  run -2 --separate-stderr "$DDPSUBMIT" top
  [[ $stderr == *'stdout is not a terminal'*'ddpsubmit list'* ]]
  run -2 --separate-stderr "$DDPSUBMIT" top --json
  [[ $output == *'ddpsubmit list --json'* ]]
  open_screen 80 24
  type_line "TERM=nonsense $DDPSUBMIT top"
  eventually shows "TERM is 'nonsense'"
  shows 'ddpsubmit list'
  type_line "$DDPSUBMIT top --interval 0"
  eventually shows 'a number of seconds from 0.1 to 3600'
}
