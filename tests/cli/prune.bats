# What `prune` deletes, and what it never deletes.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks
# shellcheck disable=SC2154 # run_id and run_folder are set by start_detached

load ../support/local_run

setup() { isolate_user; }

teardown() {
  kill_processes_of_run
  chmod -R u+rwx "$BATS_TEST_TMPDIR" 2>/dev/null || true
}

# ended_run NAME [KEY=VALUE...]: a run of `command` that has ended; sets run_id and run_folder.
ended_run() {
  "$DDPSUBMIT" run run.yaml name="$1" "${@:2}" >/dev/null 2>&1 || true
  run_id=$("$DDPSUBMIT" status "$1" --json | jq -r '.runs[0].run_id')
  run_folder=$PWD/runs/$run_id
}

pointer_of() { echo "$XDG_STATE_HOME/ddpsubmit/runs/$1.json"; }
is_whole() { [[ -e $PWD/runs/$1/plan.json && -e $(pointer_of "$1") ]]; }
is_gone() { [[ ! -e $PWD/runs/$1 && ! -e $PWD/runs/.deleting-$1 && ! -e $(pointer_of "$1") ]]; }

# make_checkpoint STEP [TEXT]: as the trainer leaves one in the run folder.
make_checkpoint() {
  local folder
  folder=$run_folder/checkpoints/$(printf 'step-%08d-a0' "$1")
  mkdir -p "$folder"
  echo '{}' >"$folder/manifest.json"
  echo "${2:-parameters}" >"$folder/model.safetensors"
}

# age_pointer DAYS: as if the run had been submitted, and had ended, so long ago.
age_run() {
  local past file
  past=$(date -u -d "-$1 days" +%Y-%m-%dT%H:%M:%S.000Z)
  jq --arg at "$past" '.created = $at' "$(pointer_of "$run_id")" >pointer && cp pointer "$(pointer_of "$run_id")"
  for file in "$run_folder"/ledger/*.jsonl; do
    jq -c --arg at "$past" '.time = $at' "$file" >lines && cp lines "$file"
  done
}

@test "no criterion: exit 2, and which there are" {
  run "$DDPSUBMIT" prune
  [ "$status" -eq 2 ]
  [[ $output == *--older-than*--keep*--state*--larger-than*--checkpoints*--gone* ]]
  run "$DDPSUBMIT" prune --yes
  [ "$status" -eq 2 ]
}

@test "an empty word, or the beginning of a name, deletes and cancels nothing" {
  write_config 1 true
  ended_run training
  for words in 'prune --yes,' 'prune --yes,/' 'prune --yes,/0' 'prune --yes --name,' 'prune --yes,trai' \
    'prune --yes,training-' 'cancel,' 'cancel,trai' 'cancel,training-'; do
    # shellcheck disable=SC2086 # the words before the comma are meant
    run "$DDPSUBMIT" ${words%%,*} "${words#*,}"
    echo "$words: $status $output"
    [ "$status" -eq 2 ]
    is_whole "$run_id"
  done
  "$DDPSUBMIT" cancel "${run_id%??}"
  "$DDPSUBMIT" prune --yes "${run_id%??}"
  is_gone "$run_id"
}

@test "values that cannot be used: exit 2" {
  for options in '--older-than soon' '--keep -1' '--keep x' '--state running' '--state nothing' '--larger-than 3'; do
    # shellcheck disable=SC2086 # the words are meant
    run "$DDPSUBMIT" prune $options
    echo "$options"
    [ "$status" -eq 2 ]
  done
}

@test "without --yes nothing is deleted, and what would be is printed" {
  write_config 1 'exit 1'
  ended_run job
  run "$DDPSUBMIT" prune --state failed
  [ "$status" -eq 0 ]
  [[ $output == *"$run_id"*failed*'run folder'*'nothing was deleted'*--yes* ]]
  is_whole "$run_id"
  run "$DDPSUBMIT" prune --state cancelled
  [[ $output == 'no runs match these options' ]]
}

@test "--yes deletes folder and pointer, and tells how much; other states stay" {
  write_config 1 'exit $CODE'
  ended_run good environment.set.CODE=0
  good=$run_id
  ended_run bad environment.set.CODE=1
  head -c 3000000 /dev/zero >"$run_folder/output.bin"
  json=$("$DDPSUBMIT" prune --state failed,cancelled --yes --json)
  [ "$(jq -r '"\(.schema) \(.deleted) \(.items | length) \(.items[0].run_id)"' <<<"$json")" = "ddpsubmit.prune.v1 true 1 $run_id" ]
  [ "$(jq '.bytes > 3000000' <<<"$json")" = true ]
  is_gone "$run_id"
  is_whole "$good"
}

@test "by age and number: --older-than, --keep for each name" {
  write_config 1 true
  ended_run old
  age_run 40
  old=$run_id
  ended_run new
  new=$run_id
  "$DDPSUBMIT" prune --older-than 30d --yes
  is_gone "$old"
  is_whole "$new"
  ended_run new
  "$DDPSUBMIT" prune --keep 1 --yes
  is_gone "$new"
  is_whole "$run_id"
}

@test "--larger-than, and list --size" {
  write_config 1 true
  ended_run small
  small=$run_id
  ended_run large
  head -c 3000000 /dev/zero >"$run_folder/a"
  ln "$run_folder/a" "$run_folder/b"
  "$DDPSUBMIT" list --size | grep -E "$run_id.* (2\.9|3\.[0-9]) MiB"
  [[ $("$DDPSUBMIT" list) != *SIZE* ]]
  [ "$("$DDPSUBMIT" list --size --json | jq '.runs[0].size_bytes < 4000000')" = true ]
  "$DDPSUBMIT" prune --larger-than 2MiB --yes
  is_gone "$run_id"
  is_whole "$small"
}

@test "a run that is not in a final state stays, and the reason is told" {
  write_config 1 'touch "up.$RANK"; exec sleep 1000'
  start_detached
  eventually ranks_are_up 1
  run "$DDPSUBMIT" prune --keep 0 --yes
  [ "$status" -eq 0 ]
  [[ $output == *"kept: run $run_id: it is running"* ]]
  is_whole "$run_id"
  "$DDPSUBMIT" cancel last
  "$DDPSUBMIT" prune --keep 0 --yes
  is_gone "$run_id"
}

@test "a run of which nobody knows the end stays" {
  write_config 1 true
  ended_run job
  sed -i '/run_ended/d' "$run_folder"/ledger/head-0.jsonl
  sed -i 's/"boot_id":"[^"]*"/"boot_id":"other"/; s/"host":"[^"]*"/"host":"elsewhere"/' "$run_folder"/ledger/*.jsonl
  [ "$(state_of_run)" = unknown ]
  run "$DDPSUBMIT" prune --keep 0 --yes
  [[ $output == *"kept: run $run_id: its state is unknown"* ]]
  is_whole "$run_id"
}

@test "a run that another one begins with stays while that one does" {
  write_config 1 'exit 0'
  ended_run first
  first=$run_id
  make_checkpoint 5
  ended_run second "environment.set.START=$run_folder/checkpoints/step-00000005-a0"
  second=$run_id
  run "$DDPSUBMIT" prune --keep 0 --name first --yes
  [[ $output == *"kept: run $first: run $second needs files of it (environment.set.START)"* ]]
  is_whole "$first"
  "$DDPSUBMIT" prune --keep 0 --yes
  is_gone "$first"
  is_gone "$second"
}

@test "so does one that another one begins with through a link" {
  write_config 1 'exit 0'
  ended_run first
  make_checkpoint 5
  first=$run_id
  ln -s "$run_folder/checkpoints" best
  ended_run second "environment.set.START=$PWD/best/step-00000005-a0"
  "$DDPSUBMIT" prune --keep 0 --name first --yes
  is_whole "$first"
}

@test "links are deleted, and nothing that they lead to" {
  write_config 1 true
  ended_run job
  mkdir outside
  echo precious >outside/file
  ln -s "$PWD/outside" "$run_folder/link"
  ln -s "$PWD/outside/file" "$run_folder/file"
  "$DDPSUBMIT" prune --keep 0 --yes
  is_gone "$run_id"
  [ "$(<outside/file)" = precious ]
}

@test "a run folder that is a link, or has no ledger, stays" {
  write_config 1 true
  ended_run job
  mv "$run_folder" elsewhere
  ln -s "$PWD/elsewhere" "$run_folder"
  run "$DDPSUBMIT" prune --keep 0 --yes
  [[ $output == *"kept: run $run_id: "*'not a folder itself'* ]]
  [ -e elsewhere/plan.json ]
  rm "$run_folder" && mv elsewhere "$run_folder"
  rm "$run_folder/plan.json"
  run "$DDPSUBMIT" prune --keep 0 --yes
  [[ $output == *"kept: run $run_id: "* ]]
  [ -e "$run_folder/ledger" ]
}

@test "a deletion that fails half-way: the list tells that the run is gone, and the next prune ends it" {
  ((EUID != 0)) || skip "root may delete from every folder"
  write_config 1 true
  ended_run job
  mkdir -p "$run_folder/output/locked" && touch "$run_folder/output/locked/file" && chmod 0500 "$run_folder/output/locked"
  run "$DDPSUBMIT" prune --keep 0 --yes
  [ "$status" -eq 1 ]
  [[ $output == *'cannot delete'*locked/file* ]]
  [[ $("$DDPSUBMIT" list 2>&1) == *'1 run without a run folder'* ]]
  chmod 0700 "runs/.deleting-$run_id/output/locked"
  "$DDPSUBMIT" prune --keep 0 --yes
  is_gone "$run_id"
}

@test "killed at any call that deletes: a whole run, or one that the next prune ends" {
  command -v strace >/dev/null || skip "strace is needed"
  strace -f true 2>/dev/null || skip "strace is not allowed"
  write_config 1 true
  local count killed=0
  for count in 1 2 5 20; do
    ended_run "job$count"
    if strace -f -qq -o trace -e trace=rename,unlinkat,unlink,rmdir -e inject=rename,unlinkat,unlink,rmdir:signal=KILL:when="$count" \
      "$DDPSUBMIT" prune --keep 0 --yes >/dev/null 2>&1; then continue; fi
    killed=$((killed + 1))
    is_whole "$run_id" || [[ $("$DDPSUBMIT" list 2>&1) == *'without a run folder'* ]]
    "$DDPSUBMIT" prune --keep 0 --yes
    is_gone "$run_id" || { "$DDPSUBMIT" prune --gone --yes && is_gone "$run_id"; }
  done
  ((killed > 1))
}

@test "a run that is being started again stays" {
  write_config 1 'exit 1'
  ended_run job
  exec 8<>"$run_folder/ledger/submit.jsonl"
  flock 8
  run "$DDPSUBMIT" prune --keep 0 --yes
  [[ $output == *"kept: run $run_id: another ddpsubmit is starting it again"* ]]
  is_whole "$run_id"
  exec 8>&-
  "$DDPSUBMIT" prune --keep 0 --yes
  is_gone "$run_id"
}

@test "reruns and prunes at the same time: a whole run that was started again, or none" {
  write_config 1 'exit 1'
  local round
  for round in 1 2 3 4 5; do
    ended_run "job$round"
    "$DDPSUBMIT" rerun "$run_id" >/dev/null 2>&1 &
    "$DDPSUBMIT" prune --keep 0 --name "job$round" --yes >/dev/null 2>&1
    wait
    is_whole "$run_id" || is_gone "$run_id"
  done
}

@test "--checkpoints deletes all but the newest and the best, of ended runs" {
  write_config 1 true
  ended_run job
  for step in 1 2 3 4; do make_checkpoint "$step"; done
  echo step-00000004-a0 >"$run_folder/checkpoints/LATEST"
  printf 'step-00000002-a0\naccuracy 0.9\n' >"$run_folder/checkpoints/BEST"
  mkdir "$run_folder/checkpoints/step-00000005-a0.incomplete"
  run "$DDPSUBMIT" prune --checkpoints --yes
  [[ $output == *"$run_id"*'3 checkpoints'* ]]
  [ "$(cd "$run_folder/checkpoints" && echo *)" = 'BEST LATEST step-00000002-a0 step-00000004-a0' ]
  is_whole "$run_id"
  run "$DDPSUBMIT" prune --checkpoints --yes
  [[ $output == 'no run has checkpoints to delete' ]]
}

@test "--gone removes runs from the list whose folders were deleted by hand" {
  write_config 1 true
  ended_run job
  rm -r "$run_folder"
  run "$DDPSUBMIT" prune --keep 0 --yes
  [[ $output == *'1 run in the list has no folder'*'prune --gone'* ]]
  [ -e "$(pointer_of "$run_id")" ]
  "$DDPSUBMIT" prune --gone --yes
  [ ! -e "$(pointer_of "$run_id")" ]
}

@test "a run that is named is deleted alone; one that is running stays" {
  write_config 1 true
  ended_run first
  first=$run_id
  ended_run second
  second=$run_id
  "$DDPSUBMIT" prune first --yes
  is_gone "$first"
  is_whole "$second"
  write_config 1 'touch "up.$RANK"; exec sleep 1000'
  start_detached
  eventually ranks_are_up 1
  run "$DDPSUBMIT" prune "$run_id" --yes
  [ "$status" -eq 0 ]
  [[ $output == *"kept: run $run_id: it is running"* ]]
  is_whole "$run_id"
  run "$DDPSUBMIT" prune secnd --yes
  [ "$status" -eq 5 ]
  [[ $output == *"no run 'secnd'"*"did you mean 'second'?"* ]]
  is_whole "$second"
}

@test "a sweep is deleted as one run" {
  write_config 1 true
  echo 'sweep: {environment.set.X: ["1", "2"]}' >>run.yaml
  "$DDPSUBMIT" run run.yaml >/dev/null 2>&1
  use_only_run
  run_id=${run_folder##*/}
  "$DDPSUBMIT" prune --keep 0 --yes
  is_gone "$run_id"
}
