# What `ddpsubmit schema` prints accepts what ddpsubmit accepts, and finds what is wrong with one key.

bats_require_minimum_version 1.5.0
load ../support/run_records

setup() { isolate_user; }

has_validator() { /usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null; }

@test "the schema is one JSON value that ends with a line break, and the same in --json" {
  "$DDPSUBMIT" schema >schema.json
  [ "$(tail -c 2 schema.json)" = '}' ]
  [ "$(jq -r '."$schema"' schema.json)" = http://json-schema.org/draft-07/schema# ]
  diff <(jq -S . schema.json) <("$DDPSUBMIT" schema --json | jq -S .config)
  [ "$("$DDPSUBMIT" schema --json | jq -r .schema)" = ddpsubmit.schema.v1 ]
  [ "$(jq -r '.properties | keys_unsorted | .[0:3] | join(" ")' schema.json)" = 'name include launcher' ]
}

@test "all references of the schema lead somewhere" {
  "$DDPSUBMIT" schema >schema.json
  jq -r '.. | objects | select(has("$ref")) | ."$ref"' schema.json | sort -u >references
  [ "$(wc -l <references)" -gt 50 ]
  while read -r reference; do
    jq -e --arg path "$reference" 'getpath($path | ltrimstr("#/") | split("/")) != null' schema.json >/dev/null || echo "$reference"
  done <references >missing
  cat missing
  [ ! -s missing ]
}

@test "a command and a training exclude each other, unless one of them is null" {
  has_validator || skip 'the Debian packages python3-jsonschema and python3-yaml are needed'
  "$DDPSUBMIT" schema >schema.json
  accepts() { /usr/bin/python3 -c 'import json, sys, jsonschema
sys.exit(not jsonschema.Draft7Validator(json.load(open("schema.json"))).is_valid(json.loads(sys.argv[1])))' "$1"; }
  train='{"epochs": 1, "model": {"name": "mlp"}, "data": {"name": "fashion_mnist"}, "optimizer": {"name": "adam"}}'
  accepts "{\"command\": null, \"train\": $train}"
  accepts '{"command": ["true"], "train": null}'
  run -1 accepts "{\"command\": [\"true\"], \"train\": $train}"
}

@test "examples, presets, first files and 1,000 mutations are judged alike by the schema and by ddpsubmit" {
  has_validator || skip 'the Debian packages python3-jsonschema and python3-yaml are needed'
  cp -rL "$SOURCE_DIR/configs" "$SOURCE_DIR/examples" "$SOURCE_DIR/tests/schema/seeds" .
  cp configs/user.yaml.example configs/user.yaml
  mkdir first
  for launcher in $("$DDPSUBMIT" schema | jq -r '.properties.launcher.enum[] // empty'); do
    "$DDPSUBMIT" init "$launcher" -o "first/$launcher.yaml"
    "$DDPSUBMIT" init "$launcher" -o "first/$launcher.command.yaml" --command python train.py --lr 0.1
  done
  mapfile -t files < <(find configs examples seeds first -name '*.yaml' | sort)
  [ "${#files[@]}" -gt 50 ]
  "$SOURCE_DIR/tests/schema/mutate_configs.py" "$DDPSUBMIT" 1000 "${files[@]}"
}
