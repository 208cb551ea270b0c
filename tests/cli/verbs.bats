# What the verbs print, and with which exit code.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks
# shellcheck disable=SC2154 # run_folder is set by start_detached

load ../support/local_run

setup() { isolate_user; }

# json VERB...: its output, which must be one value with a schema.
json() { "$DDPSUBMIT" "$@" --json 2>/dev/null | jq -e -s 'if length == 1 then .[0] else error("not one value") end'; }

@test "a typo in a key: the place, a suggestion, exit 3, no run folder" {
  printf 'name: job\nrun_root: runs\nresources:\n  nodess: 1\ncommand: ["true"]\n' >run.yaml
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 3 ]
  [ "$output" = "error: unknown key 'nodess'
  --> run.yaml:4:3
   |
 4 |   nodess: 1
   |   ^^^^^^ help: did you mean 'nodes'?" ]
  [ ! -e runs ] && [ ! -e state ]
}

@test "all errors of a file at once, also as JSON" {
  printf 'name: job\nresources: {nodes: x, tasks: 2}\ncommand: ["true"]\n' >run.yaml
  run "$DDPSUBMIT" validate run.yaml --json
  [ "$status" -eq 3 ]
  [ "$(jq '.errors | length' <<<"$output")" = 2 ]
  [ "$(jq -r '"\(.schema) \(.exit_code) \(.errors[0].where.line)"' <<<"$output")" = 'ddpsubmit.error.v1 3 2' ]
}

@test "a Python program in place of a configuration is named" {
  printf 'import os\nfor i in [1]: print(os)\n' >train.py
  run "$DDPSUBMIT" run train.py
  [ "$status" -eq 3 ]
  [[ $output == "error: 'train.py' is a Python program, not a configuration"*'ddpsubmit init --command python3 train.py'* ]]
}

@test "usage errors are exit 2, whatever the verb" {
  for arguments in '' '--frobnicate' 'statsu' 'run' 'run a.yaml --frobnicate' 'describe a b' 'wait' 'wait last --timeout x' \
    'run run.yaml --follow --detach' 'export last' 'export last --csv --json' 'export last --tensorboard d -o f'; do
    write_config 1 true
    if [[ $arguments == wait*timeout* ]]; then "$DDPSUBMIT" run run.yaml; fi
    # shellcheck disable=SC2086 # the words are meant
    run "$DDPSUBMIT" $arguments
    echo "ddpsubmit $arguments"
    [ "$status" -eq 2 ]
  done
}

@test "a verb that there is not gets a suggestion" {
  run "$DDPSUBMIT" statsu
  [[ $output == *"did you mean 'status'?"* ]]
}

@test "no run: exit 5 where one is meant, an empty list where not" {
  for verb in describe wait 'logs' cancel rerun; do
    run "$DDPSUBMIT" "$verb" last
    [ "$status" -eq 5 ]
  done
  [ "$(json list | jq '.runs | length')" = 0 ]
}

@test "every verb has a JSON form with its schema" {
  write_config 2 'echo "rank $RANK"'
  [ "$(json validate run.yaml | jq -r .schema)" = ddpsubmit.validate.v1 ]
  [ "$(json render run.yaml | jq -r '"\(.schema) \(.plan.tasks_per_node) \(.script)"')" = 'ddpsubmit.render.v1 2 null' ]
  [ "$(json render run.yaml --explain | jq -r .schema)" = ddpsubmit.explain.v1 ]
  [ "$(json run run.yaml | jq -r '"\(.schema) \(.state) \(.final) \(.exit_code)"')" = 'ddpsubmit.run.v1 succeeded true 0' ]
  [ "$(json list | jq -r '"\(.schema) \(.runs[0].name)"')" = 'ddpsubmit.list.v1 job' ]
  [ "$(json status | jq -r '"\(.schema) \(.runs[0].state)"')" = 'ddpsubmit.status.v1 succeeded' ]
  [ "$(json describe last | jq -r '"\(.schema) \(.attempts[0].ranks | length)"')" = 'ddpsubmit.describe.v1 2' ]
  [ "$(json wait last | jq -r '"\(.schema) \(.cause)"')" = 'ddpsubmit.wait.v1 null' ]
  [ "$(json cancel last | jq -r '"\(.schema) \(.runs[0].state)"')" = 'ddpsubmit.cancel.v1 succeeded' ]
  [ "$(json rerun last | jq -r .schema)" = ddpsubmit.rerun.v1 ]
  [ "$(json env | jq -r '"\(.schema) \(.source)"')" = 'ddpsubmit.env.v1 single' ]
  [ "$(json run run.yaml --detach | jq -r '"\(.schema) \(.final)"')" = 'ddpsubmit.run.v1 false' ]
  "$DDPSUBMIT" wait last
  [ "$(json --version | jq -r .schema)" = ddpsubmit.version.v1 ]
}

@test "a failed run in JSON: its own exit code and cause, and ours is 1" {
  write_config 1 'exit 42'
  run "$DDPSUBMIT" run run.yaml --json
  [ "$status" -eq 1 ]
  [ "$("$DDPSUBMIT" wait last --json | jq -r '"\(.state) \(.cause.rank) \(.cause.code)"')" = 'failed 0 42' ]
}

@test "logs: all ranks, some, stderr, JSON lines" {
  write_config 3 'echo "out $RANK"; echo "err $RANK" >&2'
  "$DDPSUBMIT" run run.yaml
  [ "$("$DDPSUBMIT" logs last --stdout | sort)" = $'[r0] out 0\n[r1] out 1\n[r2] out 2' ]
  [ "$("$DDPSUBMIT" logs last --rank 1 --stdout)" = 'out 1' ]
  [ "$("$DDPSUBMIT" logs last --rank 1)" = $'out 1\n[err] err 1' ]
  [ "$("$DDPSUBMIT" logs last --rank 1-2)" = $'[r1] out 1\n[r1 err] err 1\n[r2] out 2\n[r2 err] err 2' ]
  [ -z "$("$DDPSUBMIT" logs last 2>&1 >/dev/null)" ]
  [ -z "$("$DDPSUBMIT" logs last --stderr 2>&1 >/dev/null)" ]
  [ "$("$DDPSUBMIT" logs last --rank 1-2 --stderr)" = $'[r1] err 1\n[r2] err 2' ]
  [ "$("$DDPSUBMIT" logs last --rank 2 --json)" = '{"schema":"ddpsubmit.log.v1","attempt":0,"rank":2,"stream":"stdout","text":"out 2"}
{"schema":"ddpsubmit.log.v1","attempt":0,"rank":2,"stream":"stderr","text":"err 2"}' ]
  run "$DDPSUBMIT" logs last --rank 3
  [ "$status" -eq 2 ]
}

@test "logs --follow goes on until the end" {
  write_config 1 'echo first; until [ -e go ]; do sleep 0.05; done; echo second'
  start_detached
  "$DDPSUBMIT" logs last --follow >followed 3>&- &
  follower=$!
  eventually grep -qsx first followed
  touch go
  wait "$follower"
  [ "$(<followed)" = $'first\nsecond' ]
}

@test "logs --tail: the last lines of each rank, and with --follow what comes after them" {
  write_config 2 'echo "a $RANK"; echo "b $RANK"; touch "up.$RANK"; until [ -e go ]; do sleep 0.05; done; echo "c $RANK"'
  start_detached
  eventually ranks_are_up 2
  [ "$("$DDPSUBMIT" logs last --tail 1 | sort)" = $'[r0] b 0\n[r1] b 1' ]
  "$DDPSUBMIT" logs last --tail 1 --follow >followed 3>&- &
  follower=$!
  eventually grep -qs 'b 1' followed
  touch go
  wait "$follower"
  [ "$(sort followed)" = $'[r0] b 0\n[r0] c 0\n[r1] b 1\n[r1] c 1' ]
  [ "$("$DDPSUBMIT" logs last --tail 2 --rank 1)" = $'b 1\nc 1' ]
  [ -z "$("$DDPSUBMIT" logs last --tail 0)" ]
  run "$DDPSUBMIT" logs last --tail few
  [ "$status" -eq 2 ]
  [[ $output == *"--tail: 'few' is not a valid number of lines"* ]]
}

@test "logs --tail of a run that did not come to its ranks: the last lines of the job's own output" {
  write_config 1 true
  echo 'environment: {setup: ["seq 100 110", "exit 3"]}' >>run.yaml
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -ne 0 ]
  [ "$("$DDPSUBMIT" logs last --tail 2 2>/dev/null)" = "$("$DDPSUBMIT" logs last 2>/dev/null | tail -n 2)" ]
  [ "$("$DDPSUBMIT" logs last --tail 2 2>/dev/null | wc -l)" -eq 2 ]
}

@test "list --state and --name: only those runs" {
  write_config 1 'exit "${CODE:-0}"'
  "$DDPSUBMIT" run run.yaml name=mnist-a
  run "$DDPSUBMIT" run run.yaml name=mnist-b environment.set.CODE=3
  run "$DDPSUBMIT" run run.yaml name=other environment.set.CODE=3
  names() { json list "$@" | jq -r '[.runs[].name] | sort | join(" ")'; }
  [ "$(names --state failed)" = 'mnist-b other' ]
  [ "$(names --state failed,succeeded)" = 'mnist-a mnist-b other' ]
  [ "$(names --name mnist)" = 'mnist-a mnist-b' ]
  [ "$(names --name mnist --state succeeded)" = mnist-a ]
  [ -z "$(names --state queued)" ]
  "$DDPSUBMIT" list --name nothing 2>&1 | grep -x "no run has 'nothing' in its name"
  "$DDPSUBMIT" list --state queued,running 2>&1 | grep -x 'no run is in state queued or running'
  run "$DDPSUBMIT" list --state runing
  [ "$status" -eq 2 ]
  [[ $output == *"there is no state 'runing'"*'the states are queued, running, restarting, succeeded, failed, timed_out, preempted, cancelled and unknown'* ]]
}

@test "a rerun leaves the age of a run as it was" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  created=$(json list | jq -r '.runs[0].created')
  "$DDPSUBMIT" rerun last
  [ "$(json list | jq -r '.runs[0].created')" = "$created" ]
}

@test "a rerun of a configuration that somebody has edited in the run folder says so" {
  write_config 1 'echo $VALUE'
  "$DDPSUBMIT" run run.yaml environment.set.VALUE=first
  use_only_run
  run "$DDPSUBMIT" rerun last
  [[ $output != *edited* ]]
  touch -d '+5 seconds' "$run_folder/spec.yaml"
  run "$DDPSUBMIT" rerun last
  [[ $output != *edited* ]]
  sed -i s/first/second/ "$run_folder/spec.yaml"
  touch -d '-5 seconds' "$run_folder/spec.yaml" # as a copy that keeps the times
  run "$DDPSUBMIT" rerun last
  [[ $output == *"warning: $run_folder/spec.yaml was edited after the run was last submitted"* ]]
  run "$DDPSUBMIT" rerun last # which has written it again
  [[ $output != *edited* ]]
}

@test "so does a rerun of a sweep, of the points that it starts" {
  write_config 1 'exit 1'
  echo 'sweep: {environment.set.X: [1, 2, 3]}' >>run.yaml
  "$DDPSUBMIT" run run.yaml || [ $? -eq 1 ]
  use_only_run
  sed -i 's/exit 1/exit 0/' "$run_folder"/points/[02]/spec.yaml
  run "$DDPSUBMIT" rerun last
  [[ $output == *"warning: spec.yaml of 2 points, such as $run_folder/points/0/spec.yaml, was edited"* ]]
}

@test "no run has the name that commands take for the newest one" {
  write_config 1 true
  run "$DDPSUBMIT" run run.yaml name=last
  [ "$status" -eq 3 ]
  [[ $output == *"no run can have the name 'last'"* ]]
}

@test "cancel of a local run whose folder is gone: how to find what is left of it" {
  write_config 1 'touch "up.$RANK"; sleep 1000'
  start_detached
  eventually ranks_are_up 1
  rm -r "$run_folder"
  run "$DDPSUBMIT" cancel last
  [ "$status" -eq 5 ]
  [[ $output == *"the run folder '$run_folder' is gone"*"pgrep -af -- '--run-dir $run_folder'"* ]]
  pgrep -f -- "ddp-agent.*--run-dir $run_folder" | xargs kill
  is_over() { ! pgrep -f -- "--run-dir $run_folder"; }
  eventually is_over
}

@test "a run is found by id, prefix, name and last" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  run_id=$("$DDPSUBMIT" list --json | jq -r '.runs[0].run_id')
  for selector in "$run_id" "${run_id%?}" job last; do
    [ "$("$DDPSUBMIT" status "$selector" --json | jq -r '.runs[0].run_id')" = "$run_id" ]
  done
  run "$DDPSUBMIT" status "${run_id%?}!"
  [ "$status" -eq 5 ]
  [[ $output == *"did you mean '$run_id'?"* ]]
}

@test "cancel of a name that several live runs have: refused, with their ids; of the only live one: that one" {
  write_config 1 'touch "up.$DDPSUBMIT_RUN_ID"; sleep 1000'
  start_detached
  local first=$run_id
  start_detached
  local second=$run_id
  eventually test -e "up.$first" -a -e "up.$second"
  run "$DDPSUBMIT" cancel job
  [ "$status" -eq 2 ]
  [ "${lines[0]}" = "error: 2 active runs are named 'job': $second, $first" ]
  [ "${lines[1]}" = "  help: name them by their run ids; to name all of them: $second $first" ]
  [ "$(json list | jq -r '[.runs[].state] | join(" ")')" = 'running running' ]
  [[ $("$DDPSUBMIT" status job 2>said) == *"$second  running "* ]]
  [ "$(<said)" = "'job' matches several runs; using $second, the newest; also active: $first" ]
  "$DDPSUBMIT" cancel "$second"
  [[ $("$DDPSUBMIT" cancel job) == *"$first  cancelled "* ]]
  [[ $("$DDPSUBMIT" cancel job 2>said) == *"$second  cancelled "* ]]
  [ ! -s said ]
}

@test "wait for several runs: the worst of their ends, a JSON line for each" {
  write_config 1 'until [ -e "go.$X" ]; do sleep 0.05; done; exit "$X"'
  "$DDPSUBMIT" run run.yaml --detach name=good environment.set.X=0
  "$DDPSUBMIT" run run.yaml --detach name=bad environment.set.X=3
  run "$DDPSUBMIT" wait good bad --timeout 1s
  [ "$status" -eq 8 ]
  touch go.0 go.3
  "$DDPSUBMIT" wait good bad --json >answers && status=0 || status=$?
  [ "$status" -eq 1 ]
  [ "$(jq -rs '[.[] | "\(.schema) \(.name) \(.state)"] | join(",")' answers)" = \
    'ddpsubmit.wait.v1 good succeeded,ddpsubmit.wait.v1 bad failed' ]
  [ "$(wc -l <answers)" = 2 ]
  run "$DDPSUBMIT" wait good nothing
  [ "$status" -eq 5 ]
  "$DDPSUBMIT" wait good
}

@test "words and options that a verb does not take are told in its own terms" {
  said() { "$DDPSUBMIT" "$@" 2>&1 || true; }
  [ "$(said presets x)" = $'error: unexpected argument \'x\': \'presets\' takes no arguments\n  help: see: ddpsubmit presets --help' ]
  [[ $(said describe a b) == "error: unexpected argument 'b': 'describe' takes one RUN"* ]]
  [[ $(said status --jsn) == *"error: 'status' has no option '--jsn'"*"did you mean '--json'?"* ]]
  [[ $(said logs a --rank) == 'error: --rank needs a value: RANKS'* ]]
  [[ $(said logs a --follow=3) == 'error: --follow takes no value'* ]]
}

@test "status tells how far a training is, and how far it came" {
  write_config 1 'touch "up.$RANK"; until [ -e go ]; do sleep 0.05; done'
  start_detached
  eventually ranks_are_up 1
  [ "$(json status last | jq '.runs[0].progress')" = null ]
  echo '{"kind":"train","attempt":0,"step":150,"epoch":1,"loss":0.51234,"samples":9}' >"$run_folder/metrics.jsonl"
  [[ $("$DDPSUBMIT" status last) == *'step 150, epoch 1, loss 0.5123' ]]
  [ "$(json status last | jq -c '.runs[0].progress')" = '{"accuracy":null,"attempt":0,"epoch":1,"kind":"train","loss":0.51234,"metrics":{"loss":{"kind":"train","step":150,"value":0.51234}},"step":150,"total_steps":null}' ]
  touch go
  "$DDPSUBMIT" wait last
  [[ $("$DDPSUBMIT" status last) == *' succeeded '*'step 150, epoch 1, loss 0.5123' ]]
  "$DDPSUBMIT" describe last | grep -E '^progress +step 150, epoch 1, loss 0.5123$'
  "$DDPSUBMIT" rerun last
  [[ $("$DDPSUBMIT" status last) == *' step 150, epoch 1, loss 0.5123 in attempt 0' ]]
}

@test "of several runs, one that is not found does not stop the others" {
  write_config 1 'touch "up.$RANK"; sleep 1000'
  start_detached
  eventually ranks_are_up 1
  "$DDPSUBMIT" status nothing last nowhere >states 2>said && status=0 || status=$?
  [ "$status" -eq 5 ]
  [[ $(<states) == *"$run_id  running  "* ]]
  [ "$(grep -c '^error: no run ' said)" = 2 ]
  run "$DDPSUBMIT" cancel nothing last --json
  [ "$status" -eq 5 ]
  [ "$(jq -r '"\(.schema) \(.runs[0].state) \(.errors[0].message)"' <<<"$output")" = "ddpsubmit.cancel.v1 cancelled no run 'nothing'" ]
  [ "$(json status last | jq '.errors')" = '[]' ]
}

@test "a run whose folder is gone is left out of the list, and unknown by itself" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  rm -r runs
  [ "$("$DDPSUBMIT" list --json 2>/dev/null | jq '.runs | length')" = 0 ]
  "$DDPSUBMIT" status last | grep 'unknown .*is gone'
}

@test "inside a run, env tells the job environment and where it is from" {
  "$DDPSUBMIT" run "$SOURCE_DIR/examples/who_am_i.yaml" "run_root=$PWD/runs" resources.tasks_per_node=3 >output
  grep -qE '^\[r2\] rank +2 +DDPSUBMIT_RANK$' output
  grep -qE '^\[r2\] world_size +3 +DDPSUBMIT_WORLD_SIZE$' output
}

@test "render and validate write nothing" {
  write_config 2 true
  "$DDPSUBMIT" render run.yaml
  "$DDPSUBMIT" run run.yaml --dry-run
  [[ $("$DDPSUBMIT" validate run.yaml) == 'run.yaml is valid: job on local, 1 node x 2 ranks'$'\n'* ]]
  [ "$(ls)" = run.yaml ]
}

@test "render shows what a run on this machine starts" {
  write_config 2 'echo "$GREETING"'
  echo 'environment: {set: {GREETING: hello, OTHER: x}, setup: [". env.sh", "ulimit -c 0"]}' >>run.yaml
  "$DDPSUBMIT" render run.yaml resources.time=1h30m >rendered
  here=$(uname -n) agent=$(dirname "$DDPSUBMIT")/ddp-agent
  diff rendered - <<EOF
run folder      $PWD/runs/job-00000000
host            $here: ranks 0-1, 1 CPU each
time limit      1h30m
agent           $agent head --run-dir $PWD/runs/job-00000000
working folder  $PWD
set-up lines    . env.sh
                ulimit -c 0
sets variables  GREETING
                OTHER
each rank       sh -c 'echo "\$GREETING"'
EOF
  json render run.yaml >rendered.json
  [ "$(jq -c '[.hosts, .agent[1], .command[0], .setup[1], .set]' rendered.json)" = \
    "[[{\"name\":\"$here\",\"ranks\":[0,1]}],\"head\",\"sh\",\"ulimit -c 0\",[\"GREETING\",\"OTHER\"]]" ]
  [ "$(json render run.yaml launcher=slurm | jq -c '[.hosts, .agent, .command[0]]')" = '[null,null,"sh"]' ]
}

@test "--explain names the origin of each value" {
  write_config 2 true
  "$DDPSUBMIT" render run.yaml resources.cpus_per_task=3 --explain >explained
  grep -qE '^resources.tasks_per_node +2 +run.yaml:3$' explained
  grep -qE '^resources.cpus_per_task +3 +command line$' explained
  grep -qE '^resources.nodes +1 +default$' explained
}

@test "a missing program is told before anything is written" {
  write_config 1 true
  run "$DDPSUBMIT" run run.yaml 'command=[no-such-program]'
  [ "$status" -eq 10 ]
  [[ $output == *"program 'no-such-program' is not in PATH"* ]]
  [ ! -e runs ]
}

@test "what this machine cannot give is told before anything is written, at its place" {
  write_config 1 true
  sed -i 's/tasks_per_node: 1/tasks_per_node: 1, gpus_per_node: 1000, memory: 900TiB/' run.yaml
  for verb in run validate; do
    "$DDPSUBMIT" "$verb" run.yaml rendezvous.interface=ib7 2>said && status=0 || status=$?
    [ "$status" -eq 10 ]
    grep -q '^error: resources.gpus_per_node is 1000, but this machine has ' said
    grep -qx '  --> run.yaml:3:47' said
    grep -q '^error: resources.memory is 921600.0 GiB, but this machine has ' said
    grep -qx "error: rendezvous.interface is 'ib7': this machine has no such interface that is up" said
  done
  "$DDPSUBMIT" validate run.yaml launcher=slurm
  [ ! -e runs ] && [ ! -e state ]
}

@test "what a run on this machine gets less strictly is said in one line" {
  write_config 1 true
  for verb in run validate; do
    "$DDPSUBMIT" "$verb" run.yaml resources.cpus_per_task=60000 resources.memory=1MiB 2>said
    grep -qE '^warning: resources ask for 1 x 60000 CPUs: the ranks share the [0-9]+ CPUs of this machine$' said
    grep -qx 'warning: resources.memory is not enforced by launcher local' said
  done
}

@test "a missing program and missing data are told at their places" {
  printf '%s\n' 'name: job' 'train:' '  program: ./trainer' '  epochs: 1' '  model: {name: mlp}' \
    '  data: {name: fashion_mnist, root: data}' '  optimizer: {name: sgd}' >run.yaml
  for verb in run validate; do
    "$DDPSUBMIT" "$verb" run.yaml 2>said && status=0 || status=$?
    [ "$status" -eq 10 ]
    grep -qxF "error: '$PWD/trainer' is not an executable file" said
    grep -qx '  --> run.yaml:3:12' said
    grep -qF "error: Fashion-MNIST is not in '$PWD/data': there is neither train-images" said
    grep -qx '  --> run.yaml:6:37' said
  done
  "$DDPSUBMIT" validate run.yaml launcher=slurm
  write_config 1 true
  "$DDPSUBMIT" validate run.yaml 'command=[./nothing]' 2>said && status=0 || status=$?
  [ "$status" -eq 10 ]
  grep -qx '  --> command line' said
  [ ! -e runs ]
}

@test "a script that is not there is an error here, and a warning for nodes, before the start" {
  write_config 1 true
  for verb in run validate; do
    "$DDPSUBMIT" "$verb" run.yaml 'command=[python3, -u, src/typo.py]' 2>said && status=0 || status=$?
    [ "$status" -eq 10 ]
    grep -qxF "error: 'src/typo.py' was not found (looked in $PWD)" said
  done
  [ ! -e runs ]
  "$DDPSUBMIT" validate run.yaml launcher=slurm 'command=[python3, -u, src/typo.py]' 'slurm.setup=[module load x, source /no/activate]' 2>said
  grep -F "'src/typo.py' was not found on this host (looked in $PWD); the nodes may have it" said
  grep -F "'/no/activate' was not found on this host; the nodes may have it" said
}

@test "validate of a cluster's file on a machine that has nothing of it: warnings of what this machine lacks" {
  printf '%s\n' 'name: big' 'resources: {tasks_per_node: 4, gpus_per_node: 1000}' 'command: [python3, train.py]' \
    'slurm: {partition: gpu, setup: [module load cuda]}' >run.yaml
  "$DDPSUBMIT" validate run.yaml launcher=slurm 2>said
  grep -F "'train.py' was not found on this host" said
  "$DDPSUBMIT" validate run.yaml 2>said
  grep -E '^warning: run.yaml:2:[0-9]+: resources.gpus_per_node is 1000, but this machine has ' said
  grep -F "add launcher=slurm to check and run it there" said
  run "$DDPSUBMIT" validate run.yaml launcher=local
  [ "$status" -eq 10 ]
}

@test "a checkpoint to begin with that is not there is told at its place" {
  printf '%s\n' 'name: job' 'train:' '  mode: evaluate' '  model: {name: mlp}' '  data: {name: synthetic, features: 784}' \
    '  optimizer: {name: sgd}' '  checkpoint: {path: other/checkpoints/BEST}' >run.yaml
  "$DDPSUBMIT" validate run.yaml 2>said && status=0 || status=$?
  [ "$status" -eq 10 ]
  grep -qxF "error: there is no checkpoint '$PWD/other/checkpoints/BEST'" said
  grep -qx '  --> run.yaml:7:22' said
  mkdir -p other/checkpoints/step-00000004-a0
  echo step-00000008-a0 >other/checkpoints/BEST
  run "$DDPSUBMIT" validate run.yaml
  [ "$status" -eq 10 ]
  echo step-00000004-a0 >other/checkpoints/BEST
  run "$DDPSUBMIT" validate run.yaml
  [ "$status" -eq 10 ] # an empty folder is no checkpoint
  touch other/checkpoints/step-00000004-a0/manifest.json
  "$DDPSUBMIT" validate run.yaml
}

@test "validate says when a command is requeued at its time limit" {
  write_config 1 true
  "$DDPSUBMIT" validate run.yaml launcher=slurm fault_tolerance.requeue=true 2>said
  grep -q '^fault_tolerance.requeue: at the time limit the job is requeued only if the program calls should_stop()' said
  "$DDPSUBMIT" validate run.yaml launcher=slurm fault_tolerance.requeue=true fault_tolerance.signal=USR1 2>said
  [ ! -s said ]
}

@test "no colour but on a terminal" {
  run "$DDPSUBMIT" statsu
  [[ $output != *$'\e'* ]]
  run script -qec "TERM=xterm $DDPSUBMIT statsu" /dev/null
  [[ $output == *$'\e[1;31merror:'* ]]
  run script -qec "TERM=xterm NO_COLOR=1 $DDPSUBMIT statsu" /dev/null
  [[ $output != *$'\e'* ]]
}

@test "of two reruns at once, one starts and one is refused" {
  write_config 1 'sleep 2'
  start_detached
  "$DDPSUBMIT" wait last
  local codes=()
  "$DDPSUBMIT" rerun last --detach >first 2>&1 3>&- &
  local other=$!
  "$DDPSUBMIT" rerun last --detach >second 2>&1 3>&- && codes+=(0) || codes+=($?)
  wait "$other" && codes+=(0) || codes+=($?)
  [ "$(printf '%s\n' "${codes[@]}" | sort -n | tr '\n' ' ')" = '0 8 ' ]
  "$DDPSUBMIT" wait last
  [ "$(find "$run_folder/attempts" -mindepth 1 -maxdepth 1 | wc -l)" -eq 2 ]
}

@test "an answer that cannot be written is told, and no success" {
  write_config 1 'echo printed'
  "$DDPSUBMIT" run run.yaml
  for arguments in list 'list --json' 'status last' 'logs last' --help 'run run.yaml' 'wait last --json'; do
    echo "ddpsubmit $arguments"
    # shellcheck disable=SC2086 # the words are meant
    "$DDPSUBMIT" $arguments >/dev/full 2>said && status=0 || status=$?
    [ "$status" -eq 1 ]
    grep -qx 'error: cannot write to stdout: No space left on device' said
    # shellcheck disable=SC2086
    "$DDPSUBMIT" $arguments >&- 2>said && status=0 || status=$?
    [ "$status" -eq 1 ]
    grep -qx 'error: cannot write to stdout: Bad file descriptor' said
  done
  "$DDPSUBMIT" statsu --json >/dev/full 2>said && status=0 || status=$?
  [ "$status" -eq 2 ]
  grep -q 'cannot write to stdout' said
}

@test "a run that cannot be written leaves no folder" {
  write_config 1 true
  # No file may grow, as on a full disk.
  run bash -c "ulimit -f 0; exec '$DDPSUBMIT' run run.yaml"
  [ "$status" -eq 1 ]
  [[ $output == *'cannot write'*'File too large'* ]]
  [ -z "$(ls runs)" ]
  [ "$(json list | jq '.runs | length')" = 0 ]
}

@test "a limit of the size of files ends the program that exceeds it, and the run says so" {
  write_config 1 'grep SigIgn /proc/self/status; exec head -c 1000000 /dev/zero >big'
  run bash -c "ulimit -f 64; exec '$DDPSUBMIT' run run.yaml"
  [ "$status" -eq 1 ]
  [[ $output == *$'SigIgn:\t0000000000000000'* ]]
  [[ $output == *'signal 25 (XFSZ)'* ]]
}

@test "a limit of the size of files that head meets: who follows it hears what could not be written" {
  write_config 40 'echo up >"up.$RANK"; until [ -e go_on ]; do sleep 0.05; done'
  (ulimit -f 8 && exec "$DDPSUBMIT" run run.yaml >output 2>said 3>&-) &
  submitter=$!
  eventually ranks_are_up 40
  : >go_on
  wait "$submitter" && code=0 || code=$?
  [ "$code" -eq 1 ]
  grep -E 'head could not record how the run ended: .*File too large' said
}

@test "a limit that head meets only for a while: the cause is the true one" {
  write_config 2 'until [ -e "go.$RANK" ]; do sleep 0.05; done; exit $((3 * (1 - RANK)))'
  start_attached
  local head ledger=$run_folder/ledger/head-0.jsonl
  head=$(event head_started .pid)
  prlimit --pid "$head" --fsize="$(stat -c %s "$ledger"):"
  : >go.1
  eventually grep -F 'File too large' "$run_folder/logs/head.log"
  prlimit --pid "$head" --fsize=unlimited:
  : >go.0
  wait "$submitter" && code=0 || code=$?
  [ "$code" -eq 1 ]
  grep -E 'failed: rank 0 on .* ended with exit code 3' said
  run ! grep -F 'could not record' said
}

@test "a head that cannot record its start starts no ranks" {
  write_config 1 'touch started'
  "$DDPSUBMIT" run run.yaml
  use_only_run
  rm started
  local room # for the claim, and not for what head writes next
  room=$(($(stat -c %s "$run_folder/attempts/0/claim.json") + 20))
  run prlimit --fsize=$room "$DDP_AGENT" head --run-dir "$run_folder"
  echo "$output"
  [ "$status" -eq 1 ]
  [[ $output == *'File too large'* ]]
  [ -e "$run_folder/attempts/1" ]
  [ ! -e started ]
}

@test "a head that cannot claim an attempt on a full disk: who started it hears why" {
  can_mount || skip 'it takes root to mount a small disk'
  write_config 1 false
  "$DDPSUBMIT" run run.yaml &>/dev/null && false
  use_only_run
  # Its log is on a full disk, too.
  fill="mount -t tmpfs -o size=4k,nr_inodes=3 full '$run_folder/logs' && cd '$run_folder/logs' && head -c 4096 /dev/zero >all && : >head.log"
  no_inodes="mount -t tmpfs -o nr_inodes=1 full '$run_folder/attempts'"
  no_room="mount -t tmpfs -o size=4k full '$run_folder/attempts' && head -c 4096 /dev/zero >'$run_folder/attempts/all'"
  for disk in "$no_inodes" "$no_room"; do
    for attachment in --follow --detach; do
      run unshare --mount bash -c "$disk && $fill && cd '$PWD' && exec '$DDPSUBMIT' rerun last $attachment"
      echo "$output"
      [ "$status" -eq 1 ]
      [[ $output == *'error: the run was not started: head cannot claim an attempt: cannot '*"$run_folder/attempts/0"*'No space left on device'* ]]
      no_process_of_run
    done
  done
  [ "$(state_of_run)" = failed ]
  "$DDPSUBMIT" status last | grep 'No space left on device'
}

@test "a reader that has seen enough is no error to talk of" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  exec 4> >(true)
  wait "$!"
  # Whoever started us may have set SIGPIPE to be ignored: then the write fails instead.
  (trap '' PIPE && exec "$DDPSUBMIT" list >&4 2>said) && status=0 || status=$?
  [ "$status" -eq 1 ]
  [ ! -s said ]
}

@test "a run in a folder with a dollar sign in its name can be run again" {
  mkdir -p 'my $x dir' && cd 'my $x dir'
  printf 'name: job\ncommand: [pwd]\n' >run.yaml
  [ "$("$DDPSUBMIT" run run.yaml)" = "$PWD" ]
  [ "$("$DDPSUBMIT" rerun last)" = "$PWD" ]
  run "$DDPSUBMIT" validate run.yaml 'run_root=$HOME/runs'
  [ "$status" -eq 3 ]
  [[ $output == *'variables are not expanded in paths'*'help: write the full path; for a dollar sign in a name write $$'* ]]
}

@test "ranks run where run was called, whatever the set-up lines do; those of slurm are not for local" {
  mkdir -p sub
  printf '%s\n' 'name: job' 'environment: {setup: ["cd /", "export SEEN=1"]}' 'slurm: {setup: ["export SEEN=2", "false"]}' \
    'command: [sh, -c, "pwd; echo $SEEN"]' >sub/run.yaml
  [ "$("$DDPSUBMIT" run sub/run.yaml)" = "$PWD
1" ]
  [ "$(find runs -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] # beside the caller, not beside the file
}

@test "a key of a section on the command line, without its section, is sent there" {
  write_config 1 true
  run "$DDPSUBMIT" run run.yaml nodes=2
  [ "$status" -eq 3 ]
  [[ $output == *"help: did you mean 'resources.nodes'?"* ]]
}
