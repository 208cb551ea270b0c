# Sweeps on this machine: one point after another.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run
bats_require_minimum_version 1.5.0

setup() { isolate_user; }

# write_sweep VALUES COMMAND: a sweep over the variable X.
write_sweep() {
  write_config 1 "$2"
  echo "sweep: {environment.set.X: $1}" >>run.yaml
}

sweep_json() { "$DDPSUBMIT" status "${1:-last}" --json | jq -r "$2"; }
point_states() { sweep_json last '[.runs[0].sweep.points[].state] | join(" ")'; }

@test "every point is a run of its own, one after another; a table at the end" {
  write_sweep '[1, 2, 3]' 'echo "X is $X"; echo "$X" >>order'
  run --separate-stderr "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 0 ]
  [ "$(paste -sd ' ' order)" = '1 2 3' ]
  [[ ${lines[0]} =~ ^POINT\ +X\ +STATE\ +RAN$ ]]
  [[ ${lines[3]} =~ ^2\ +3\ +succeeded\  ]]
  [[ $stderr == *'sweep job-'*' succeeded in '*': 3 succeeded'* ]]
  use_only_run
  [ "$(cat "$run_folder/points/2/logs/attempt-0/rank-0.out")" = 'X is 3' ]
  [ "$(jq -c .points "$run_folder/sweep.json")" = '[[1],[2],[3]]' ]
  [ "$("$DDPSUBMIT" logs last/1)" = 'X is 2' ]
  [ "$("$DDPSUBMIT" logs job/0)" = 'X is 1' ]
  "$DDPSUBMIT" describe last/2 | grep -qE '^state +succeeded'
  no_process_of_run
}

@test "what a sweep is made of is on disk before it starts; nothing is left of one that cannot be" {
  write_sweep '[1, 2]' true
  strace -f -qq -y -e trace=fsync,execve -o trace "$DDPSUBMIT" run run.yaml
  use_only_run
  sed '/execve.*ddp-agent/,$d' trace | sed -n 's/.* fsync([0-9]*<\([^>]*\)>.*/\1/p' | sort -u >synced
  for path in "$run_folder/sweep.json" "$run_folder/points/"{0,1}{,/spec.yaml} "$XDG_STATE_HOME/ddpsubmit/runs/${run_folder##*/}.json"; do
    grep -qxF "$path" synced || { echo "not synced: $path"; cat trace; false; }
  done
  run strace -f -qq -o trace -P "$PWD/runs" -e inject=fsync:error=EIO "$DDPSUBMIT" run run.yaml
  [ "$status" -ne 0 ]
  [[ $output == *"cannot sync $PWD/runs"* ]]
  [ "$(ls runs)" = "${run_folder##*/}" ]
  [ "$(ls "$XDG_STATE_HOME/ddpsubmit/runs")" = "${run_folder##*/}.json" ]
}

@test "points are told of when they start and end, and once" {
  write_sweep '[1, 2]' 'touch "up.$X"; test "$X" = 1 || until test -e go; do sleep 0.05; done'
  "$DDPSUBMIT" run run.yaml >output 2>said 3>&- &
  submitter=$!
  eventually grep -qsx 'point 1 (X 2) starts' said
  touch go
  wait "$submitter"
  grep '^point ' said | sed 's/ in .*//' >told
  diff - told <<'TOLD'
point 0 (X 1) starts
point 0 (X 1) succeeded
point 1 (X 2) starts
point 1 (X 2) succeeded
TOLD
  grep -qE '^  next: ddpsubmit report job-' said
  "$DDPSUBMIT" wait last >output 2>said
  grep -qE '^1 +2 +succeeded ' output
  run grep '^point ' said
  [ "$status" -eq 1 ]
}

@test "the end of the last point is told once, though the sweep's process is still there" {
  write_sweep '[1, 2]' 'touch "up.$X"; test "$X" = 1 || until test -e go; do sleep 0.05; done'
  start_detached
  eventually test -e up.2
  "$DDPSUBMIT" wait last >output 2>said 3>&- &
  waiter=$!
  kill -STOP "$(event submitted .pid)"
  touch go
  eventually all_points_have_succeeded
  sleep 1 # the waiter looks twice a second
  kill -CONT "$(event submitted .pid)"
  wait "$waiter"
  grep -qE '^1 +2 +succeeded ' output
  [ "$(grep -c '^point 1 .* succeeded' said)" -eq 1 ]
}
all_points_have_succeeded() { [ "$(point_states)" = 'succeeded succeeded' ]; }

@test "a sweep over the arguments of a program: a column for each, and a rerun with the same ones" {
  cat >run.yaml <<'YAML'
name: job
run_root: runs
command: [sh, -c, 'echo "$@" >>order; test -e mended || test "$1" != 0.1', sh, '{args.lr}', '--tag=run {args.tag}']
args: {tag: a}
sweep: {args.lr: [0.1, 1e-3]}
YAML
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  [ "$(paste -sd ';' order)" = '0.1 --tag=run a;1e-3 --tag=run a' ]
  "$DDPSUBMIT" status last | grep -qE '^POINT +lr +STATE +RAN$'
  "$DDPSUBMIT" describe last/1 | grep -qE "^command +.* 1e-3 '--tag=run a'$"
  touch mended
  "$DDPSUBMIT" rerun last
  [ "$(tail -n 1 order)" = '0.1 --tag=run a' ]
  run "$DDPSUBMIT" rerun last/0 args.lr=7
  [[ $output == *"'args.lr' cannot change in a rerun: the sweep sets it for each point"* ]]
  "$DDPSUBMIT" rerun last/0 args.tag=b
  [ "$(tail -n 1 order)" = '0.1 --tag=run b' ]
  "$DDPSUBMIT" run run.yaml sweep=null args.lr=7
  [ "$(tail -n 1 order)" = '7 --tag=run a' ]
}

@test "a training: the last metrics of each point, also as JSON" {
  cat >run.yaml <<'YAML'
name: fit
run_root: runs
train: {max_steps: 4, model: {name: mlp, hidden_dims: [8]}, data: {name: synthetic, samples: 256, batch_size: 32}, optimizer: {name: sgd}}
sweep: {train.optimizer.learning_rate: [0.001, 0.1], train.seed: [1, 2]}
YAML
  "$DDPSUBMIT" run run.yaml --json >result
  [ "$(jq -r '.sweep.points | map("\(.values."train.optimizer.learning_rate") \(.values."train.seed") \(.progress.step)") | join(",")' \
    result)" = '0.001 1 4,0.001 2 4,0.1 1 4,0.1 2 4' ]
  [ "$(jq '[.sweep.points[].progress.loss, .sweep.points[].progress.accuracy | select(type == "number")] | length' result)" = 8 ]
  "$DDPSUBMIT" status last | grep -qE '^POINT +learning_rate +seed +STATE +STEP +SPLIT +LOSS +ACCURACY +RAN$'
  loss=$(tail -n 1 runs/fit-*/points/3/metrics.jsonl | jq .loss)
  "$DDPSUBMIT" status last | grep -qE "^3 +0.1 +2 +succeeded +4 +test +$(printf %.4f "$loss") "
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 2 ]
  id=$(jq -r .run_id result)
  [[ ${lines[0]} == "error: all points of sweep $id have succeeded" ]]
  [[ ${lines[1]} == *"ddpsubmit rerun $id/0 train.max_steps=N"* ]]
  run "$DDPSUBMIT" rerun last/0 train.seed=3
  [[ $output == *"'train.seed' cannot change in a rerun: the sweep sets it for each point"* ]]
  "$DDPSUBMIT" rerun last/0 train.max_steps=6
  "$DDPSUBMIT" status last | grep -qE '^0 +0.001 +1 +succeeded +6 '
}

@test "a point that fails stops no other, and is what rerun starts again" {
  write_sweep '[1, 2, 3]' '{ test "$X" != 2 || test -e mended; } && echo "$X" >>order'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  [[ $output == *'1 failed'* ]]
  [ "$(point_states)" = 'succeeded failed succeeded' ]
  "$DDPSUBMIT" status last | grep -E '^point 1 failed: rank 0 on .* exited with code 1|^point 1 failed: .*exit code 1'
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  touch mended
  created=$("$DDPSUBMIT" list --json | jq -r '.runs[0].created')
  "$DDPSUBMIT" rerun last
  [ "$("$DDPSUBMIT" list --json | jq -r '.runs[0].created')" = "$created" ]
  [ "$(paste -sd ' ' order)" = '1 3 2' ]
  [ "$(point_states)" = 'succeeded succeeded succeeded' ]
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 2 ]
  [[ $output == *"to run one point again: ddpsubmit rerun $("$DDPSUBMIT" list --json | jq -r '.runs[0].run_id')/0" ]]
  "$DDPSUBMIT" rerun last/0
  [ "$(paste -sd ' ' order)" = '1 3 2 1' ]
}

@test "Ctrl-C stops the point that runs and skips the rest; rerun goes on" {
  write_sweep '[1, 2, 3]' 'touch "up.$X"; test "$X" = 1 || test -e quick || exec sleep 1000'
  "$DDPSUBMIT" run run.yaml >output 2>said 3>&- &
  submitter=$!
  eventually test -e up.2
  kill -INT "$submitter"
  status=0
  wait "$submitter" || status=$?
  [ "$status" -eq 130 ]
  [ ! -e up.3 ]
  [ "$(point_states)" = 'succeeded cancelled cancelled' ]
  use_only_run
  no_process_of_run
  touch quick
  "$DDPSUBMIT" rerun last
  [ "$(point_states)" = 'succeeded succeeded succeeded' ]
}

@test "detached: status while it goes on, cancel of one point that waits, of the rest" {
  write_sweep '[1, 2, 3, 4]' 'touch "up.$X"; until test -e "go.$X"; do sleep 0.05; done'
  start_detached
  eventually test -e up.1
  [ "$(point_states)" = 'running queued queued queued' ]
  [ "$(sweep_json last '.runs[0] | "\(.state) \(.sweep.counts.queued)"')" = 'running 3' ]
  "$DDPSUBMIT" cancel last/1
  touch go.1
  eventually test -e up.3
  [ ! -e up.2 ]
  "$DDPSUBMIT" cancel last
  [ "$(point_states)" = 'succeeded cancelled cancelled cancelled' ]
  [ ! -e up.4 ]
  eventually no_process_of_run
}

@test "what is cancelled and started again runs once" {
  write_sweep '[1, 2, 3]' 'echo "$X" >>ran; until test -e go; do sleep 0.05; done'
  start_detached
  eventually test -e ran
  for point in 1 2; do "$DDPSUBMIT" cancel "last/$point"; done
  "$DDPSUBMIT" rerun last/2 --detach
  eventually grep -q 3 ran
  touch go
  "$DDPSUBMIT" wait last/2
  eventually no_process_of_run
  [ "$(paste -sd ' ' ran)" = '1 3' ]
  [ "$(point_states)" = 'succeeded cancelled succeeded' ]
}

@test "nothing lives on when the sweep's process is killed, and its points are no longer waited for" {
  write_sweep '[1, 2]' 'touch "up.$X"; exec sleep 1000'
  start_detached
  eventually test -e up.1
  kill -9 "$(event submitted .pid)"
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  eventually no_process_of_run
  [ ! -e up.2 ]
}

@test "who waits for a sweep whose process is killed hears of its end when its points have ended" {
  write_sweep '[1, 2]' 'trap "sleep 1; exit 0" TERM; touch "up.$X"; while :; do sleep 0.05; done'
  start_detached
  eventually test -e up.1
  "$DDPSUBMIT" wait last &>said &
  local waiting=$! code=0
  eventually takes_signals "$waiting"
  kill -9 "$(event submitted .pid)"
  wait "$waiting" || code=$?
  [ "$code" -eq 1 ]
  run ! grep running said
}

@test "errors of all points at once, at their values; nothing is written" {
  write_config 1 true
  echo 'sweep: {fault_tolerance.grace_period: [1s, x, 2], resources.nodes: [1, 2]}' >>run.yaml
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 3 ]
  [[ $output == *"'resources.nodes' cannot differ between the points of a sweep"* ]]
  [ ! -e runs ]
}

@test "a sweep whose sweep.json is damaged or gone: its state is unknown, and it stays" {
  write_sweep '[1, 2]' true
  "$DDPSUBMIT" run run.yaml
  use_only_run
  mv "$run_folder/sweep.json" kept
  for text in '' '{"schema": "ddpsubmit.sweep.v1", "keys"'; do
    [[ -z $text ]] || echo "$text" >"$run_folder/sweep.json"
    run "$DDPSUBMIT" status last
    [[ $output == *unknown*"$run_folder/sweep.json"* ]]
    run "$DDPSUBMIT" prune --state failed --state succeeded --yes
    [ -e "$run_folder/points/1/plan.json" ]
    run "$DDPSUBMIT" rerun last
    [ "$status" -eq 7 ]
    [[ $output == *"$run_folder/sweep.json"*'restore the file'* ]]
  done
  mv kept "$run_folder/sweep.json"
  "$DDPSUBMIT" status last | grep succeeded
}

@test "words that name no point" {
  write_sweep '[1, 2]' true
  "$DDPSUBMIT" run run.yaml
  run "$DDPSUBMIT" describe last/2
  [ "$status" -eq 5 ]
  [[ $output == *"has no point '2'"*'its points are 0 to 1'* ]]
  run "$DDPSUBMIT" logs last
  [ "$status" -eq 2 ]
  [[ $output == *'is a sweep of 2 points'* ]]
  [[ ${lines[2]} =~ ^'  ddpsubmit logs job-'.*/0\ +X\ 1\ +succeeded$ ]]
  [[ ${lines[3]} == *'/1  X 2  succeeded' ]]
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  run "$DDPSUBMIT" describe last/0
  [ "$status" -eq 5 ]
  [[ $output == *'is not a sweep'* ]]
}

@test "logs of a sweep are those of the point that is running" {
  write_sweep '[1, 2, 3]' 'echo "X is $X"; touch "up.$X"; test "$X" != 2 || until test -e go; do sleep 0.05; done'
  start_detached
  eventually test -e up.2
  eventually grep -qx 'X is 2' runs/job-*/points/1/logs/attempt-0/rank-0.out
  run --separate-stderr "$DDPSUBMIT" logs last
  [ "$output" = 'X is 2' ]
  [[ $stderr == "this is the output of job-"*"/1, the only point that is running" ]]
  run --separate-stderr "$DDPSUBMIT" logs last --json
  [ "$status" -eq 2 ]
  [ -z "$stderr" ]
  [[ $output == *'choose a point: ddpsubmit logs job-'*'/0"'* ]]
  "$DDPSUBMIT" logs last --follow >followed 3>&- &
  eventually test -s followed
  touch go
  wait $!
  [ "$(<followed)" = 'X is 2' ]
  eventually no_process_of_run
}

@test "validate and render tell of the points" {
  write_sweep '[1, 2]' true
  [ "$("$DDPSUBMIT" validate run.yaml | head -n 1 | grep -o ', 2 points$')" = ', 2 points' ]
  "$DDPSUBMIT" render run.yaml | grep -qE '^points +0: environment.set.X=1$'
  "$DDPSUBMIT" render run.yaml launcher=slurm sweep_options.at_once=1 | grep -qx '#SBATCH --array=0-1%1'
}
