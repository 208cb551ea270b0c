# What is seen on a terminal while ddpsubmit follows a training.

bats_require_minimum_version 1.5.0

load ../support/local_run
load ../support/terminal

setup() {
  isolate_user
  cat >run.yaml <<YAML # goes on until it is cancelled
name: fit
run_root: runs
train:
  program: $STAND_IN
  max_steps: 100000000
  model: {name: mlp, hidden_dims: [8]}
  data: {name: synthetic, samples: 256, batch_size: 32}
  optimizer: {name: sgd}
  log: {every_steps: 500}
YAML
}

all_fields='  epoch [0-9]+  loss [0-9.]+  [0-9,]+ samples/s$'

# has_printed FILE: at least one progress record of the training?
has_printed() { grep -q 'step [0-9]*/' "$1"; }

@test "run on a terminal: the last line tells how far the training is, and is gone in the end" {
  on_terminal 120 "$DDPSUBMIT run run.yaml" >screen 3>&- &
  eventually has_progress screen "$all_fields"
  eventually grep -qP '\e\[Kstep \d+/100000000  epoch' screen # a line of the log takes its place
  "$DDPSUBMIT" cancel last
  wait $! || true
  drawn_on screen | grep -qE '^\[#*\.+\] [0-9]+%'
  was_cleared screen
  remains_of screen >remains
  grep -qE '^step [0-9]+/100000000  epoch .* samples/s$' remains
  [[ $(grep -v '^  ' remains | tail -n 1) == *' cancelled'* ]]
}

@test "a narrow terminal cuts it, with room for the ^C that it echoes" {
  on_terminal 44 "$DDPSUBMIT run run.yaml" >screen 3>&- &
  eventually has_progress screen
  "$DDPSUBMIT" cancel last
  wait $! || true
  drawn_on screen | grep '%  step' >drawn
  run ! grep -E '^.{42}' drawn
  was_cleared screen
}

@test "logs --follow on a terminal shows it too, in no file or pipe, and not where it is refused" {
  start_detached
  "$DDPSUBMIT" logs last --follow >file 2>&1 3>&- &
  on_terminal 120 "$DDPSUBMIT logs last --follow | cat" >piped 3>&- &
  on_terminal 120 "$DDPSUBMIT logs last --follow --json" >json 3>&- &
  on_terminal 120 "NO_COLOR=1 $DDPSUBMIT logs last --follow" >refused 3>&- &
  on_terminal 120 "TERM=dumb $DDPSUBMIT logs last --follow" >dumb 3>&- &
  on_terminal 120 "$DDPSUBMIT logs last --follow" >screen 3>&- &
  for followed in file piped json refused dumb; do eventually has_printed "$followed"; done
  on_terminal 120 "$DDPSUBMIT logs last --follow >data" >words 3>&- &
  eventually has_progress screen "$all_fields"
  eventually has_progress words "$all_fields"
  "$DDPSUBMIT" cancel last
  wait
  was_cleared screen
  was_cleared words
  for followed in file piped json refused dumb data; do
    has_printed "$followed"
    run ! grep -e '%  step' -e $'\e\\[K' "$followed"
  done
}
