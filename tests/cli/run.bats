# Runs on this machine from their start to their end.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run

setup() { isolate_user; }

@test "a run that succeeds: output on the streams of ddpsubmit, exit 0" {
  write_config 2 'echo "out $RANK of $WORLD_SIZE"; echo "err $RANK" >&2'
  "$DDPSUBMIT" run run.yaml >output 2>said
  [ "$(sort output)" = $'[r0] out 0 of 2\n[r1] out 1 of 2' ]
  grep -qx '\[r1\] err 1' said
  grep -qE '^run job-[0-9a-z]{8} succeeded in [0-9.]+ s$' said
  use_only_run
  [ "$(stat -c %a "$run_folder")" = 700 ]
  [ "$(exit_records .code | paste -sd ' ')" = '0 0' ]
  no_process_of_run
}

@test "a run_root that every user can write to is refused, one that a group can write to is noted" {
  write_config 1 'echo done'
  mkdir -m 777 runs
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 10 ]
  [[ $output == *"every user can write to '$PWD/runs'"*'--> run.yaml:2:11'*"(chmod o-w '$PWD/runs')"* ]]
  run "$DDPSUBMIT" run run.yaml --no-preflight
  [ "$status" -eq 10 ]
  [ -z "$(ls -A runs)" ]
  chmod 1777 runs
  [ "$("$DDPSUBMIT" run run.yaml)" = 'done' ]
  chmod 775 runs
  "$DDPSUBMIT" run run.yaml 2>said
  use_only_run
  [ "$(stat -c %a "$run_folder")" = 700 ]
  ((EUID == 0)) || return 0 # others have no such group
  chgrp 12345 runs
  "$DDPSUBMIT" run run.yaml 2>said
  grep -q "the group gid 12345 can write to '$PWD/runs'" said
}

@test "programs that every user can write to are refused" {
  write_config 1 'echo done'
  mkdir -m 777 open
  cp "$DDPSUBMIT" "${DDPSUBMIT%/*}/ddp-agent" open
  run open/ddpsubmit run run.yaml
  [ "$status" -eq 10 ]
  [[ $output == *"open/ddp-agent': every user can write to '$PWD/open', and could put other files there"* ]]
  chmod 755 open
  [ "$(open/ddpsubmit run run.yaml)" = 'done' ]
}

@test "one rank has no prefix" {
  write_config 1 'echo plain'
  [ "$("$DDPSUBMIT" run run.yaml)" = plain ]
}

@test "the last line counts, even without an end" {
  write_config 1 'printf unfinished'
  [ "$("$DDPSUBMIT" run run.yaml)" = unfinished ]
}

@test "a run that fails: exit 1, the cause named, and what has been shown not repeated" {
  write_config 2 'if [ "$RANK" = 1 ]; then echo "no such thing" >&2; exit 42; fi; sleep 1000'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  [[ $output == *'error: run job-'*' failed: rank 1 '*'42'* ]]
  [[ $output == *$'\n  likely cause: no such thing\n'* ]]
  [[ $output != *'   | '* ]]
  [[ $output == *'next: ddpsubmit logs job-'*' --rank 1 --stderr'* ]]
  run "$DDPSUBMIT" wait last
  [[ $output == *$'\n  last lines of rank 1 on stderr:\n   | no such thing\n'* ]] # nothing was shown before
  use_only_run
  no_process_of_run
}

@test "command: [false]" {
  run "$DDPSUBMIT" run "$SOURCE_DIR/examples/who_am_i.yaml" 'command=["false"]' "run_root=$PWD/runs"
  [ "$status" -eq 1 ]
  [[ $output == *'rank '*' exit'*' 1'* ]]
}

@test "the next command is never one that prints nothing" {
  write_config 1 'exit 3'
  run "$DDPSUBMIT" run run.yaml
  [[ $output == *'next: ddpsubmit describe job-'* ]]
  write_config 1 'echo here; exit 3'
  run "$DDPSUBMIT" run run.yaml
  next=$(sed -n 's/^  next: ddpsubmit \(.*\) (.*/\1/p' <<<"$output")
  [[ $next == 'logs job-'*' --rank 0' ]]
  # shellcheck disable=SC2086 # words of a command
  [ "$("$DDPSUBMIT" $next)" = here ]
}

@test "a rank killed by a signal is named with it" {
  write_config 1 'kill -SEGV $$'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  [[ $output == *'signal 11 (SEGV)'* ]]
}

@test "the programs run where ddpsubmit was called, with the variables of the file" {
  write_config 1 'pwd; echo "$GREETING"'
  mkdir deeper && mv run.yaml deeper && cd deeper
  [ "$("$DDPSUBMIT" run run.yaml 'environment.set={GREETING: hello}')" = "$PWD"$'\nhello' ]
}

@test "setup lines come before the ranks" {
  write_config 1 'echo "$FROM_SETUP"'
  [ "$("$DDPSUBMIT" run run.yaml 'environment.setup=[export FROM_SETUP=set]')" = set ]
}

@test "a setup line that fails ends the run" {
  write_config 1 'echo never'
  run "$DDPSUBMIT" run run.yaml 'environment.setup=["false"]'
  [ "$status" -eq 1 ]
  [[ $output != *never* ]]
  [[ $output == *'environment.setup ended with exit code 1 at command line: `false` (see logs/head.log)'* ]]
}

@test "a setup line that fails is quoted, with its place in the file" {
  write_config 1 'echo never'
  printf '%s\n' 'environment:' '  setup:' '    - if true; then' '    -   test -e /no/such/file' '    - fi' >>run.yaml
  local line
  line=$(grep -n 'test -e' run.yaml | cut -d: -f1)
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  [[ $output == *"environment.setup ended with exit code 1 at run.yaml:$line:9: \`test -e /no/such/file\` (see"* ]]
}

@test "what the set-up lines print is what logs shows of a run that ended in them" {
  write_config 1 'echo never'
  run "$DDPSUBMIT" run run.yaml 'environment.setup=["echo preparing", "exit 4"]'
  [ "$status" -eq 1 ]
  [[ $("$DDPSUBMIT" logs last 2>said) == preparing* ]]
  use_only_run
  grep -qx "no rank has started; the output of the job, $run_folder/logs/head.log:" said
  [ "$("$DDPSUBMIT" logs last --json 2>/dev/null | jq -c '[.schema, .rank, .stream, .text]' | head -n 1)" = \
    '["ddpsubmit.log.v1",null,"job","preparing"]' ]
  run "$DDPSUBMIT" logs last --attempt 1
  [ "$status" -eq 5 ]
}

@test "status names the set-up lines while they go on" {
  write_config 1 true
  echo 'environment: {setup: ["echo preparing", "until [ -e go ]; do sleep 0.05; done"]}' >>run.yaml
  start_detached
  in_set_up() { "$DDPSUBMIT" status last | grep -q '  running .*  running its set-up lines: no rank has started yet$'; }
  eventually in_set_up
  has_printed() { "$DDPSUBMIT" logs last | grep -qx preparing; }
  eventually has_printed
  touch go
  "$DDPSUBMIT" wait last
}

@test "secrets reach the ranks, and are gone after the end" {
  write_config 1 'echo "$API_KEY"'
  export API_KEY=s3cret
  [ "$("$DDPSUBMIT" run run.yaml 'environment.secrets=[API_KEY]')" = s3cret ]
  use_only_run
  [ ! -e "$run_folder/secrets.json" ]
  run grep -rl s3cret "$run_folder" --exclude='*.out'
  [ "$status" -eq 1 ]
}

@test "a stale environment does not mislead the ranks" {
  write_config 1 'echo "$RANK $WORLD_SIZE $MASTER_ADDR"'
  export RANK=5 WORLD_SIZE=9 MASTER_ADDR=192.0.2.1 SLURM_PROCID=3 SLURM_JOB_ID=1 DDPSUBMIT_RANK=7
  [ "$("$DDPSUBMIT" run run.yaml)" = '0 1 127.0.0.1' ]
}

@test "detached: the id, then wait tells the end" {
  write_config 2 'until [ -e go ]; do sleep 0.05; done; exit "$RANK"'
  start_detached
  "$DDPSUBMIT" status "$run_id" | grep -E 'queued|running'
  run "$DDPSUBMIT" wait last --timeout 1s
  [ "$status" -eq 8 ]
  touch go
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [[ $output == *'rank 1 '* ]]
  run "$DDPSUBMIT" wait job
  [ "$status" -eq 1 ]
}

@test "an ended run can be run again in its folder, where it ran before" {
  write_config 1 'pwd; [ -e ready ]'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  touch ready
  mkdir elsewhere
  [ "$(cd elsewhere && "$DDPSUBMIT" rerun last)" = "$PWD" ]
  [ "$(find runs -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]
  use_only_run
  [ "$(event head_started .attempt | paste -sd ' ')" = '0 1' ]
  [ "$(state_of_run)" = succeeded ]
  "$DDPSUBMIT" logs last --attempt 0
  "$DDPSUBMIT" logs last --attempt 1
  run "$DDPSUBMIT" logs last --attempt 2
  [ "$status" -eq 5 ]
}

@test "a run that goes on cannot be run again" {
  write_config 1 'touch "up.$RANK"; sleep 1000'
  start_detached
  eventually ranks_are_up 1
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 8 ]
  "$DDPSUBMIT" cancel last
}

@test "a cancelled run can be run again" {
  write_config 1 '[ -e ready ] || { touch "up.$RANK"; sleep 1000; }'
  start_detached
  eventually ranks_are_up 1
  "$DDPSUBMIT" cancel last
  touch ready
  "$DDPSUBMIT" rerun last
  [ "$(state_of_run)" = succeeded ]
}

@test "a training that succeeded says where its parameters are" {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" train.max_steps=3 --json >answer
  use_only_run
  file=$(echo "$run_folder"/checkpoints/step-*/model.safetensors)
  [ -s "$file" ]
  [ "$(jq -r .checkpoint.parameters answer)" = "$file" ]
  "$DDPSUBMIT" wait last 2>said
  grep -A 1 ' succeeded in ' said | grep -Fx "  parameters: $file"
}

@test "a training that is finished is not run again; with more epochs it goes on" {
  write_training() {
    printf '%s\n' 'name: fit' 'run_root: runs' "train: {$1, model: {name: mlp, hidden_dims: [8]}, data: {name: synthetic, \
samples: 64, batch_size: 32}, optimizer: {name: sgd}}" >fit.yaml
  }
  local asked
  for asked in 'epochs: 2' 'max_steps: 4'; do
    write_training "$asked"
    rm -rf runs
    "$DDPSUBMIT" run fit.yaml
    use_only_run
    run "$DDPSUBMIT" rerun last
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "error: there is nothing left to do: run ${run_folder##*/} has finished its training after step 4, and \
train.${asked/: / is }" ]
    [[ ${lines[1]} == *"to train longer: ddpsubmit rerun ${run_folder##*/} train.${asked%:*}=N"* ]]
    "$DDPSUBMIT" rerun last "train.${asked%:*}=6" train.log.every_steps=1 | grep -E '^(resumed from step 4|step (12/12|6/6) )'
    "$DDPSUBMIT" describe last | grep -E '^  resumed from step 4(;|$)'
    [ "$(state_of_run)" = succeeded ]
    # It is recorded: the next one would do no more.
    run "$DDPSUBMIT" rerun last
    [[ ${lines[0]} == *"train.${asked%:*} is 6" ]]
    grep -E "^  ${asked%:*}: 6 +# command line$" "$run_folder/spec.yaml"
    grep -E '^name: fit +# fit.yaml:1$' "$run_folder/spec.yaml"
    grep -E '^  seed: 42 +# default$' "$run_folder/spec.yaml"
  done
}

@test "a rerun takes another time limit and other restarts, keeps them, and refuses what would be another run" {
  write_config 1 'echo x >>ran; [ -e ready ]'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  use_only_run
  run "$DDPSUBMIT" rerun last resources.nodes=2 'command=[true]' fault_tolerance.max_restarts=x name=other
  [ "$status" -ne 0 ]
  [ "$(grep -c '^error: ' <<<"$output")" -eq 4 ]
  [[ $output == *"'command' cannot change in a rerun: a different command makes a different run"*'command line'* ]]
  [[ $output == *"'max_restarts' must be an integer, not 'x'"* ]]
  [[ $output == *'ddpsubmit run CONFIG KEY=VALUE'* ]]
  [ "$(wc -l <ran)" -eq 1 ]
  run "$DDPSUBMIT" rerun last resources.time=2h fault_tolerance.max_restarts=1
  [ "$status" -eq 1 ]
  [ "$(wc -l <ran)" -eq 3 ]
  touch ready
  "$DDPSUBMIT" rerun last
  [ "$(jq -c '[.time_limit_seconds, .max_restarts]' "$run_folder/plan.json")" = '[7200,1]' ]
  grep -E '^  max_restarts: 1 +# command line$' "$run_folder/spec.yaml"
  grep -E '^  tasks_per_node: 1 +# run.yaml:3$' "$run_folder/spec.yaml"
}

@test "a run that has checkpoints of its own needs the one no more that it began with" {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  local config="$SOURCE_DIR/configs/synthetic_mlp.yaml"
  "$DDPSUBMIT" run "$config" "run_root=$PWD/first" train.max_steps=2
  mv first/*/checkpoints other
  "$DDPSUBMIT" run "$config" "run_root=$PWD/runs" train.max_steps=4 "train.checkpoint.path=$PWD/other/LATEST"
  use_only_run
  rm -r other
  run "$DDPSUBMIT" rerun "${run_folder##*/}" train.max_steps=6
  [ "$status" -eq 0 ]
  grep ' resumed from step 4$' <<<"$output"
  rm -r "$run_folder/checkpoints"
  run "$DDPSUBMIT" rerun "${run_folder##*/}"
  [ "$status" -eq 10 ]
  [[ $output == *"there is no checkpoint '$PWD/other/LATEST'"* ]]
}

@test "a run stands for its newest checkpoint, if it has one" {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  local config="$SOURCE_DIR/configs/synthetic_mlp.yaml"
  "$DDPSUBMIT" run "$config" "run_root=$PWD/runs" train.max_steps=2
  use_only_run
  run "$DDPSUBMIT" run "$config" "run_root=$PWD/more" train.max_steps=4 "train.checkpoint.path=$run_folder"
  [ "$status" -eq 0 ]
  grep " resumed from step 2 of '$run_folder'$" <<<"$output"
  rm -r "$run_folder/checkpoints"
  run "$DDPSUBMIT" run "$config" "run_root=$PWD/more" "train.checkpoint.path=$run_folder"
  [ "$status" -eq 10 ]
  [[ $output == *"there is no checkpoint '$run_folder'"* ]]
}

@test "a training that failed can go on: rerun is named, with the step" {
  mkdir bin
  cp "$DDPSUBMIT" "${DDPSUBMIT%/*}/ddp-agent" bin
  printf '#!/bin/sh\n%s\n' 'cd "$DDPSUBMIT_RUN_DIR" && mkdir -p checkpoints/step-00000040-a0' \
    'touch checkpoints/step-00000040-a0/manifest.json; echo step-00000040-a0 >checkpoints/LATEST; exit "${CODE:-1}"' >bin/ddptrain
  chmod +x bin/ddptrain
  run bin/ddpsubmit run "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" resources.tasks_per_node=1
  [ "$status" -eq 1 ]
  use_only_run
  [[ $output == *"next: ddpsubmit rerun ${run_folder##*/} (resumes from step 40)"* ]]
  CODE=3 run bin/ddpsubmit rerun "${run_folder##*/}"
  [[ $output == *"/spec.yaml), then ddpsubmit rerun ${run_folder##*/} (resumes from step 40)"* ]]
}

@test "text of several lines: a word of the command arrives byte for byte, set-up lines run one by one" {
  text=$'it\'s "a"\n$(touch hacked) `touch hacked`\n\n\tb\n'
  cat >run.yaml <<YAML
name: job
run_root: runs
environment:
  setup: |
    # A here document keeps its blank line.
    A=\$(cat <<END
    x

    y
    END
    )
    export A
command:
  - bash
  - -c
  - |
    printf %s "\$1" >argument
    printf %s "\$A" >variable
  - bash
  - $(jq -n --arg text "$text" '$text')
YAML
  "$DDPSUBMIT" run run.yaml
  cmp argument <(printf %s "$text")
  [ "$(cat variable)" = $'x\n\ny' ]
  # shellcheck disable=SC2016
  [[ $("$DDPSUBMIT" describe last | grep '^command ') == *'`touch hacked`\n\n\tb\n'\' ]]
  rm argument
  "$DDPSUBMIT" rerun last
  cmp argument <(printf %s "$text")
  [ ! -e hacked ]
  run "$DDPSUBMIT" run run.yaml 'environment.setup="true\nfalse\ntrue"'
  [ "$status" -eq 1 ]
  [[ $output == *'`false`'* ]]
}
