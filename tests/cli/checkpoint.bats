# What a checkpoint holds, whether it is damaged, and one file of its shards.

load ../support/local_run

setup() {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  isolate_user
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" name=trained run_root=runs train.max_steps=30 train.checkpoint.every_steps=10
  use_only_run
  whole=$run_folder/checkpoints/step-00000030-a0
}

# shard_checkpoint RANKS TO: of the newest checkpoint.
shard_checkpoint() { python3 "$SOURCE_DIR/tests/support/shard_checkpoint.py" "$whole" "$@"; }

# fix_manifest FOLDER: sizes and sums are those of the files.
fix_manifest() { python3 "$SOURCE_DIR/tests/support/shard_checkpoint.py" "$1"; }

# first_shard FOLDER PART
first_shard() { echo "$1/shard-00001-$2-00001-of-00001.safetensors"; }

# faults_of FOLDER: of its verification, whose exit code has to be 9.
faults_of() {
  run --separate-stderr "$DDPSUBMIT" checkpoint verify "$1"
  [ "$status" -eq 9 ]
  [ "${lines[0]}" = "damaged: $PWD/$1" ]
  echo "$output" | tail -n +2
}

@test "info: by a run, its folder, a checkpoint and LATEST" {
  local place
  for place in trained last "$run_folder" "$whole/" "$run_folder/checkpoints/LATEST"; do
    "$DDPSUBMIT" checkpoint info "$place" --json >answer
    jq -e '.schema == "ddpsubmit.checkpoint_info.v1" and .step == 30 and .world_size == 2 and .shards == null' answer
  done
  jq -e '[.totals.parameter | .tensors, .elements, .bytes] == [4, 2212, 8848]' answer
  jq -e '[.tensors[] | select(.kind == "optimizer")] | length == 12' answer
  jq -e '.tensors[0] | [.name, .dtype, .shape, .files] == ["layers.0.weight", "float32", [32, 64], ["model.safetensors"]]' answer
  "$DDPSUBMIT" checkpoint info last >text
  grep -x 'step        30 of 30' text
  grep -x 'form        whole' text
  grep -x '  layers.0.weight  float32  \[32, 64\]  8 KiB' text
  [ "$(grep -c exp_avg text)" = 0 ]
  [ "$("$DDPSUBMIT" checkpoint info last --all | grep -c exp_avg)" = 8 ]
}

@test "what a foreign checkpoint holds does not control the terminal that shows it" {
  cp -r "$whole" foreign
  sed -i 's/layers\.0\.weight/a\\u001b]0\\u0007/' foreign/model.safetensors # as long as before
  fix_manifest foreign
  for words in 'info foreign' 'info foreign --all' 'verify foreign' 'info foreign --json'; do
    TERM=xterm script -qec "$DDPSUBMIT checkpoint $words" /dev/null </dev/null >screen || true
    [ "$(grep -acP '\x1b\]|\x07' screen)" -eq 0 ]
    [[ $words == verify* ]] || grep -aE 'a\\(x1b|u001b)\]0' screen
  done
}

@test "a deeply nested manifest, and a state of another step: the checkpoint is damaged, and a training resumes from the one before" {
  older=$run_folder/checkpoints/step-00000020-a0
  cp -r "$run_folder/checkpoints" kept
  for damage in nested negative other; do
    rm -rf "$run_folder/checkpoints" && cp -r kept "$run_folder/checkpoints"
    case $damage in
      nested) python3 -c 'print("{\"format\":" * 100000 + "1" + "}" * 100000)' >"$whole/manifest.json" ;;
      negative) jq '.step = -7' kept/step-00000030-a0/state.json >"$whole/state.json" && fix_manifest "$whole" ;;
      other) jq '.step = 9223372036854775807' kept/step-00000030-a0/state.json >"$whole/state.json" && fix_manifest "$whole" ;;
    esac
    for words in 'info' 'verify' 'merge --output merged'; do
      [[ $damage == nested || $words != merge* ]] || continue # it reads no state
      # shellcheck disable=SC2086 # the words are meant
      run "$DDPSUBMIT" checkpoint ${words%% *} "$whole" ${words#"${words%% *}"}
      echo "$damage, $words: $status $output"
      [ "$status" -eq 9 ]
    done
    "$DDPSUBMIT" checkpoint verify "$older"
    "$DDPSUBMIT" rerun trained train.max_steps=40 2>&1 | tee said
    grep -rqx 'resumed from step 20' "$run_folder"/logs/*/rank-0.out
    rm -rf "$run_folder/logs"/attempt-[1-9]*
  done
}

@test "a deeply nested sweep.json, plan or pointer keeps no verb from its answer" {
  python3 -c 'print("{\"schema\": \"ddpsubmit.sweep.v1\", \"keys\": [\"a\"], \"points\": [[" + "[" * 100000 + "]" * 100000 + "]]}")' >nested
  for file in sweep.json plan.json live.json source/record.json ledger/head-0.jsonl exit/attempt-0/rank-0.json metrics.jsonl; do
    cp -a "$run_folder" kept
    mkdir -p "$(dirname "$run_folder/$file")"
    cp nested "$run_folder/$file"
    for words in list 'status trained' 'describe trained' 'logs trained' 'report trained --output page.html' 'export trained' 'compare trained'; do
      # shellcheck disable=SC2086 # the words are meant
      run "$DDPSUBMIT" $words
      echo "$file, $words: $status"
      [ "$status" -lt 128 ]
    done
    rm -rf "$run_folder" && mv kept "$run_folder"
  done
  cp nested "$XDG_STATE_HOME/ddpsubmit/runs/nested.json"
  "$DDPSUBMIT" list | grep -F trained
}

@test "verify: the newest of a run, all of them, and several PATHs" {
  [ "$("$DDPSUBMIT" checkpoint verify trained)" = "ok: $whole"$'\n  step 30, 4 files, '"$("$DDPSUBMIT" checkpoint info last | sed -n 's/^size *\(.*\) in.*/\1/p'), 18 tensors" ]
  [ "$("$DDPSUBMIT" checkpoint verify trained --all | grep -c '^ok: ')" = 3 ]
  shard_checkpoint 3 three
  "$DDPSUBMIT" checkpoint verify last three --json >answer
  jq -e '.valid and ([.checkpoints[] | .tensors, .shards] == [18, 0, 18, 3])' answer
  run --separate-stderr "$DDPSUBMIT" checkpoint verify last nothing
  [ "$status" -eq 5 ]
  [[ $output == 'ok: '* && $stderr == *"there is no checkpoint and no run 'nothing'"* ]]
}

@test "verify names each file that is damaged: exit 9" {
  local file
  cp -r "$whole" altered
  printf xxxx | dd of=altered/model.safetensors bs=1 seek=2000 conv=notrunc status=none
  truncate -s 100 altered/rng.safetensors
  rm altered/state.json
  [[ $(faults_of altered) == *'model.safetensors has been altered: '*'rng.safetensors has 100 bytes, but '*'state.json is missing' ]]
  shard_checkpoint 3 lost
  rm "$(first_shard lost model)"
  [ "$(faults_of lost)" = '  shard-00001-model-00001-of-00001.safetensors is missing' ]
  fix_manifest lost
  [ "$(faults_of lost)" = '  manifest.json does not name shard-00001-model-00001-of-00001.safetensors' ]
  shard_checkpoint 2 twice
  for file in model optimizer; do cp "$(first_shard twice $file)" "twice/shard-00003-$file-00001-of-00001.safetensors"; done
  fix_manifest twice
  [[ $(faults_of twice) == *"shard-00003-model-00001-of-00001.safetensors holds rows of tensor 'layers.0.weight' that another shard holds, too: row 0"* ]]
  shard_checkpoint 2 longer
  echo more >>"$(first_shard longer model)"
  fix_manifest longer
  [ "$(faults_of longer)" = '  shard-00001-model-00001-of-00001.safetensors has 5 bytes behind its tensors' ]
  rm "$whole/manifest.json"
  [ "$(faults_of "${whole#"$PWD"/}")" = '  manifest.json is missing' ]
}

@test "merge: from any number of shards the bytes of the whole file" {
  local ranks
  for ranks in 1 2 3 5; do
    shard_checkpoint "$ranks" "shards.$ranks"
    "$DDPSUBMIT" checkpoint merge "shards.$ranks" -o "$ranks.safetensors"
    cmp "$ranks.safetensors" "$whole/model.safetensors"
    "$DDPSUBMIT" checkpoint merge "shards.$ranks" --optimizer -o "$ranks.safetensors" --force
    cmp "$ranks.safetensors" "$whole/optimizer.safetensors"
  done
  "$DDPSUBMIT" checkpoint merge last --output copied.safetensors --json | jq -e '.part == "model" and .shards == 0 and .tensors == 4'
  cmp copied.safetensors "$whole/model.safetensors"
}

@test "merge replaces no file without --force, and leaves nothing where it fails" {
  shard_checkpoint 2 shards
  echo mine >out.safetensors
  run "$DDPSUBMIT" checkpoint merge shards --output out.safetensors
  [ "$status" -eq 2 ]
  [[ $output == *"out.safetensors' already exists"*--force* ]]
  [ "$(<out.safetensors)" = mine ]
  run bash -c 'ulimit -f 4; exec "$DDPSUBMIT" checkpoint merge shards --output full.safetensors'
  [ "$status" -eq 1 ]
  [[ $output == *"cannot write '$PWD/full.safetensors'"* ]]
  printf xxxx | dd of="$(first_shard shards model)" bs=1 seek=2000 conv=notrunc status=none
  run "$DDPSUBMIT" checkpoint merge shards --output damaged.safetensors
  [ "$status" -eq 9 ]
  [[ $output == *'has been altered'*'ddpsubmit checkpoint verify '* ]]
  [ "$(find . -maxdepth 1 -name '*.safetensors*')" = ./out.safetensors ]
  run "$DDPSUBMIT" checkpoint merge last --force --output "$whole/model.safetensors"
  [ "$status" -eq 2 ]
}

@test "actions, and the options that they take" {
  said() { "$DDPSUBMIT" checkpoint "$@" 2>&1 || true; }
  [[ $(said inf last) == "error: 'checkpoint' has no ACTION 'inf'"*"did you mean 'info'?" ]]
  [[ $(said info last --force) == "error: 'checkpoint info' has no option '--force'"* ]]
  [[ $(said info last "$whole") == "error: 'checkpoint info' takes one PATH"* ]]
  [[ $(said merge last) == "error: 'checkpoint merge' needs --output FILE"* ]]
  [[ $(said info) == "error: 'checkpoint' needs PATH"* ]]
  mkdir empty
  [[ $(said info empty) == "error: 'empty' has no checkpoint"* ]]
  write_config 1 true
  "$DDPSUBMIT" run run.yaml name=command
  [[ $(said info command) == "error: run 'command-"*"' has no checkpoint"* ]]
}

# run_again KEY=VALUE...: another training, in a run folder of its own; sets output, status and other.
run_again() {
  run "$DDPSUBMIT" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" name=other "run_root=$PWD/others" train.max_steps=40 "$@"
  other=$(find "$PWD/others" -mindepth 1 -maxdepth 1)
}

@test "a run that cannot begin with a damaged checkpoint names the damage as its likely cause, not the advice" {
  truncate -s -1 "$whole/model.safetensors"
  run_again "train.checkpoint.path=$whole"
  [ "$status" -eq 1 ]
  [[ $output == *'give a run folder, one of its checkpoints'* ]]
  "$DDPSUBMIT" describe "$(basename "$other")" >said
  grep -E "^likely cause  \[rank 0\] '$whole' cannot be used: '$whole/model" said # cut after 200 bytes
  [ "$(find "$other/exit" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]
}

@test "the weights of a run are those of its newest checkpoint; a folder without weights is refused before the start" {
  run_again "train.model.weights=$run_folder"
  [ "$status" -eq 0 ]
  [[ $output == *"starting from the weights of '$whole'"* ]]
  mkdir empty
  run "$DDPSUBMIT" validate "$SOURCE_DIR/configs/synthetic_mlp.yaml" "train.model.weights=$PWD/empty"
  [ "$status" -ne 0 ]
  [[ $output == *"'$PWD/empty' contains no weights"*'give a safetensors file'* ]]
}

@test "ranks that find no weights in a folder end with exit code 3, and there is no other attempt" {
  mkdir empty
  run_again "train.model.weights=$PWD/empty" 'environment.setup=[":"]' # set-up lines could have brought the weights
  [ "$status" -eq 1 ]
  [[ $output == *"train.model.weights: '$PWD/empty' contains no weights"* ]]
  [ "$(find "$other/exit" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]
  [ "$(jq .code "$other/exit/attempt-0/rank-0.json")" = 3 ]
}
