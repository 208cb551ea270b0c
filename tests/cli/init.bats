# The first configuration file.

load ../support/local_run

setup() { isolate_user; }

@test "init writes a training that is valid and runs as it is" {
  run "$DDPSUBMIT" init
  [ "$status" -eq 0 ]
  [ "$output" = 'wrote train.yaml and, for your editor, .ddpsubmit.schema.json
next: ddpsubmit validate train.yaml, then ddpsubmit run train.yaml' ]
  [ "$(head -n 1 train.yaml)" = "# yaml-language-server: \$schema=./.ddpsubmit.schema.json" ]
  diff .ddpsubmit.schema.json <("$DDPSUBMIT" schema)
  "$DDPSUBMIT" validate train.yaml
  "$DDPSUBMIT" run train.yaml
  [ "$("$DDPSUBMIT" list --json | jq -r '.runs[0] | "\(.name) \(.state)"')" = 'train succeeded' ]
}

@test "init --command: the program runs with its arguments as they are" {
  "$DDPSUBMIT" init local -o run.yaml --command printf '%s\n' --json 'a "b" #c' -o 1
  "$DDPSUBMIT" run run.yaml
  [ "$("$DDPSUBMIT" logs last --rank 1 --stdout)" = "$(printf '%s\n' --json 'a "b" #c' -o 1)" ]
}

@test "init for each launcher: the file is valid there" {
  for launcher in $("$DDPSUBMIT" schema | jq -r '.properties.launcher.enum[] // empty'); do
    "$DDPSUBMIT" init "$launcher" -o "$launcher.yaml"
    "$DDPSUBMIT" validate "$launcher.yaml"
    "$DDPSUBMIT" init "$launcher" -o "$launcher.command.yaml" --command true
    [ "$("$DDPSUBMIT" validate "$launcher.command.yaml" --json | jq -r .launcher)" = "$launcher" ]
  done
}

@test "init overwrites no configuration, and writes the schema anew" {
  echo 'mine: 1' >train.yaml
  run "$DDPSUBMIT" init
  [ "$status" -eq 2 ]
  [[ $output == *"'train.yaml' exists"* ]]
  [[ $output == *'name another file: -o FILE' ]]
  [ "$(<train.yaml)" = 'mine: 1' ]
  [ ! -e .ddpsubmit.schema.json ]
  echo old >.ddpsubmit.schema.json
  "$DDPSUBMIT" init -o other.yaml
  [ "$(jq -r .title .ddpsubmit.schema.json)" = 'configuration file of ddpsubmit' ]
}

@test "init -o -: prints the file and writes nothing" {
  "$DDPSUBMIT" init -o - >printed
  "$DDPSUBMIT" init
  diff printed train.yaml
  rm train.yaml .ddpsubmit.schema.json
  "$DDPSUBMIT" init -o - >/dev/null
  [ ! -e train.yaml ] && [ ! -e .ddpsubmit.schema.json ]
}

@test "init writes into another folder, and answers in JSON" {
  mkdir sub
  [ "$("$DDPSUBMIT" init --json -o sub/a.yaml | jq -r '"\(.schema) \(.file) \(.schema_file)"')" = \
    "ddpsubmit.init.v1 $PWD/sub/a.yaml $PWD/sub/.ddpsubmit.schema.json" ]
  run "$DDPSUBMIT" init -o nowhere/a.yaml
  [ "$status" -eq 1 ]
  [[ $output == *"cannot write 'nowhere/a.yaml': there is no folder 'nowhere'"* ]]
}

@test "init: a launcher that there is not, and --command without a program" {
  run "$DDPSUBMIT" init slrum
  [ "$status" -eq 2 ]
  [[ $output == *"unknown launcher 'slrum'"*"did you mean 'slurm'?"* ]]
  run "$DDPSUBMIT" init --command
  [ "$status" -eq 2 ]
  [[ $output == *'--command needs a value: PROGRAM'* ]]
}
