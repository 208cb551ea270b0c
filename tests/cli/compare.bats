# What `compare` prints of two runs, and of more.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

bats_require_minimum_version 1.5.0
load ../support/local_run

setup() { isolate_user; }

# difference KEY: "A|B" of that key.
difference() {
  jq -r --arg key "$1" '.differences[] | select(.key == $key) | "\(.a)|\(.b)"' <<<"$json"
}

run_named() { "$DDPSUBMIT" run run.yaml name="$1" "${@:2}" >/dev/null 2>&1; }

@test "two runs: the settings and results that differ, by section, and exit 0" {
  write_config 1 'exit $CODE'
  run_named good environment.set.CODE=0
  run_named bad environment.set.CODE=3 resources.time=1h || true
  json=$("$DDPSUBMIT" compare good bad --json)
  [ "$(jq -r .schema <<<"$json")" = ddpsubmit.compare.v1 ]
  [ "$(difference environment.set.CODE)" = '0|3' ]
  [ "$(difference resources.time)" = 'null|1h' ]
  [ "$(difference state)" = 'succeeded|failed' ]
  [ -z "$(difference resources.tasks_per_node)" ]
  run "$DDPSUBMIT" compare good bad
  [ "$status" -eq 0 ]
  [[ ${lines[0]} == KEY*good-*bad-* ]]
  [[ $output == *$'\nsettings\n'*'environment.set.CODE'*$'\nresults\n'*'state '*succeeded*failed* ]]
}

@test "two words that name one run: exit 2" {
  write_config 1 true
  run_named job
  run "$DDPSUBMIT" compare job last
  [ "$status" -eq 2 ]
  [[ $output == *'both name run job-'*'ddpsubmit list --name job'* ]]
}

@test "values of secrets, and of variables that are named like secrets, are never printed" {
  write_config 1 true
  export SECRET_OF_TEST=hunter2
  run_named one 'environment.secrets=[SECRET_OF_TEST]' environment.set.API_TOKEN=alpha123
  run_named two environment.set.API_TOKEN=beta456
  run "$DDPSUBMIT" compare one two
  [[ $output == *API_TOKEN*'(hidden)'* && $output == *SECRET_OF_TEST* ]]
  run "$DDPSUBMIT" compare one two --json
  for word in hunter2 alpha123 beta456; do
    [[ $output != *"$word"* ]]
  done
  [ "$(jq '[.differences[] | select(.key == "environment.set.API_TOKEN")] | length' <<<"$output")" = 1 ]
}

@test "points of a sweep, by their values" {
  write_config 1 'test {args.x} = 1'
  echo 'args: {x: 0}' >>run.yaml
  echo 'sweep: {args.x: [1, 2]}' >>run.yaml
  "$DDPSUBMIT" run run.yaml >/dev/null 2>&1 || true
  json=$("$DDPSUBMIT" compare last/0 last/1 --json)
  [ "$(difference state)" = 'succeeded|failed' ]
  [ "$(difference args.x)" = '1|2' ]
}

@test "a sweep: a row for each point, in the order that is asked for" {
  write_config 1 'echo "{\"kind\":\"train\",\"attempt\":0,\"step\":1,\"loss\":0.{args.x}}" >"$DDPSUBMIT_OUTPUT_DIR/../metrics.jsonl"'
  echo 'args: {x: 0}' >>run.yaml
  echo 'sweep: {args.x: [5, 3, 4]}' >>run.yaml
  "$DDPSUBMIT" run run.yaml >/dev/null 2>&1
  run --separate-stderr "$DDPSUBMIT" compare last
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 4 ]
  [[ ${lines[0]} =~ ^POINT\ +x\ +STATE\ +LOSS ]]
  [[ ${lines[1]} =~ ^0\ +5\ +succeeded\ +0\.5 ]]
  json=$("$DDPSUBMIT" compare last --json --sort loss)
  [ "$(jq -c '[.runs[].results.loss]' <<<"$json")" = '[0.3,0.4,0.5]' ]
  [ "$(jq -c '.differences[] | select(.key == "args.x") | .values' <<<"$json")" = '["3","4","5"]' ]
  [ "$("$DDPSUBMIT" compare last --json --sort x --reverse | jq -c '[.runs[].settings["args.x"]]')" = '["5","4","3"]' ]
  run "$DDPSUBMIT" compare last --sort speed
  [ "$status" -eq 2 ]
  [[ $output == *"no setting or metric 'speed'"*"args.x"*"loss"* ]]
}

@test "two runs whose loss is equal: it is said" {
  write_config 1 'echo "{\"kind\":\"train\",\"attempt\":0,\"step\":1,\"loss\":2.5}" >"$DDPSUBMIT_OUTPUT_DIR/../metrics.jsonl"'
  run_named one
  run_named two
  run "$DDPSUBMIT" compare one two
  [[ $output == *'equal in both runs: loss 2.5'* ]]
  [ "$("$DDPSUBMIT" compare one two --json | jq -c .equal)" = '[{"key":"loss","value":2.5}]' ]
}

@test "a run that does not exist: exit 5; one run or none: exit 2, and what to give" {
  write_config 1 true
  run_named job
  run "$DDPSUBMIT" compare last nobody
  [ "$status" -eq 5 ]
  run "$DDPSUBMIT" compare last
  [ "$status" -eq 2 ]
  [[ $output == *'is one run: give two runs or more, or a sweep'* ]]
  run "$DDPSUBMIT" compare
  [ "$status" -eq 2 ]
  [[ $output == *"'compare' needs RUN"*'RUN: run id'* ]]
}
