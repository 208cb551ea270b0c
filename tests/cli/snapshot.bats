# The working tree of the submit is copied into the run folder, and the ranks run in the copy; what is not committed is recorded.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks
# shellcheck disable=SC2154 # run_folder is set by start_detached

load ../support/local_run
load ../support/repository
load ../support/false_clock

setup() {
  isolate_user
  make_repository
}

edit_everything() {
  echo second >../lib/text
  echo 'echo edited' >say.sh
}

@test "a second attempt runs the code of the submit, in the same folder of the copy" {
  write_snapshot_config './say.sh; cat link; [ "$DDPSUBMIT_ATTEMPT" = 1 ] && exit
    touch "$DDPSUBMIT_SUBMIT_DIR/up"; while [ ! -e "$DDPSUBMIT_SUBMIT_DIR/go" ]; do sleep 0.05; done; exit 1'
  echo 'new, and not tracked' >new
  id=$("$DDPSUBMIT" run run.yaml --detach fault_tolerance.max_restarts=1)
  eventually test -e up
  edit_everything
  touch go
  "$DDPSUBMIT" wait "$id"
  copy=$PWD/runs/$id/source/tree
  for attempt in 0 1; do
    diff "runs/$id/logs/attempt-$attempt/rank-0.out" <(printf '%s\n' first "$copy/sub" first)
  done
  [ "$(cat "$copy/sub/new")" = 'new, and not tracked' ]
  [ "$(stat -c %a "$copy/sub/say.sh")" = 750 ]
  [ "$(readlink "$copy/sub/link")" = ../lib/text ]
  [ ! -e "$copy/build" ] && [ ! -e "$copy/.git" ] && [ ! -e "$copy/sub/runs" ]
}

@test "rerun repeats: it runs the copy, not today's code; without the copy it is refused" {
  write_snapshot_config './say.sh'
  id=$("$DDPSUBMIT" run run.yaml --detach)
  "$DDPSUBMIT" wait "$id"
  commit=$("$DDPSUBMIT" describe "$id" --json | jq -r .commit)
  edit_everything
  in_git commit -q -a -m second
  [ "$("$DDPSUBMIT" rerun "$id" --follow | head -n 1)" = first ]
  [ "$("$DDPSUBMIT" describe "$id" --json | jq -r .commit)" = "$commit" ]
  [ "$("$DDPSUBMIT" run run.yaml)" = edited ]
  rm -r "runs/$id/source/tree"
  run "$DDPSUBMIT" rerun "$id"
  [ "$status" -ne 0 ]
  [[ $output == *'is gone'*'start a new run: ddpsubmit run CONFIG'* ]]
}

@test "set-up lines run in the copy, and know where the original is" {
  write_snapshot_config './say.sh; echo "$FROM"' 'setup: ["export FROM=$PWD:$DDPSUBMIT_SUBMIT_DIR:$(cat ../lib/text)"]'
  "$DDPSUBMIT" run run.yaml >output
  [ "$(tail -n 1 output)" = "$(echo "$PWD"/runs/*/source/tree/sub):$PWD:first" ]
}

@test "paths that exist only outside of the copy are named before anything is written: exit 10" {
  printf '%s\n' 'run_root: runs' 'environment: {snapshot: true}' 'command: [../build/app]' >run.yaml
  chmod +x ../build/app
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 10 ]
  [[ $output == *"'../build/app' is not in the copy of the working tree in which the run starts (environment.snapshot): git ignores it"*'run.yaml:3:11'*"absolute path, $repository/build/app, or take it out of .gitignore"* ]]
  [ ! -e runs ]
  run "$DDPSUBMIT" validate run.yaml
  [ "$status" -eq 10 ]
  "$DDPSUBMIT" validate run.yaml "command=[sh, say.sh, ../build/app, $PWD/say.sh]" 2>said
  grep -q "^warning: .*'../build/app' is not in the copy" said
  run "$DDPSUBMIT" run run.yaml 'command=[sh, say.sh]' 'environment.setup=[source ../build/app]'
  [ "$status" -eq 10 ]
  [[ $output == *'write: source "$DDPSUBMIT_SUBMIT_DIR"/../build/app'* ]]
}

@test "a tree that is too large is refused with its largest parts: exit 10" {
  write_snapshot_config './say.sh'
  head -c 2000000 /dev/zero >../large.bin
  run "$DDPSUBMIT" run run.yaml environment.snapshot_limit=1MiB
  [ "$status" -eq 10 ]
  [[ $output == *'is larger than environment.snapshot_limit, 1MiB'*'list in .gitignore what is not code; the largest parts: large.bin (1.9 MiB)'* ]]
  [ ! -e runs ]
  "$DDPSUBMIT" run run.yaml
  [ "$("$DDPSUBMIT" list --size --json | jq '.runs[0].size_bytes')" -gt 1900000 ]
  "$DDPSUBMIT" prune last --yes
  [ -z "$(ls -A runs)" ]
}

@test "what is not committed is recorded for its owner alone, and printed only when asked" {
  write_snapshot_config './say.sh'
  echo 'token: s3cret' >../lib/text
  "$DDPSUBMIT" run run.yaml >/dev/null
  use_only_run
  [ "$(stat -c %a "$run_folder"/source/{record.json,changes.diff} | xargs)" = '600 600' ]
  "$DDPSUBMIT" describe last >described
  grep -qE '^changes +not committed, see: ddpsubmit describe job-[0-9a-z]+ --diff' described
  "$DDPSUBMIT" describe last --json >>described
  [ "$(grep -c s3cret described)" -eq 0 ]
  jq -e '.source.dirty and (.source | has("changed") | not)' <(tail -n +1 described | sed -n '/^{/,$p')
  "$DDPSUBMIT" describe last --diff >changes.diff 2>said
  grep -qx 'changed: ?? sub/run.yaml' said
  git clone -q "$repository" clone
  git -C clone apply ../changes.diff
  [ "$(cat clone/lib/text)" = 'token: s3cret' ]
}

@test "a git that hangs does not outlive a ddpsubmit that is told to end" {
  write_snapshot_config './say.sh'
  mkdir "$BATS_TEST_TMPDIR/bin"
  printf '%s\n' '#!/bin/sh' "echo \$\$ >'$BATS_TEST_TMPDIR/git.pid'" 'exec sleep 1000' >"$BATS_TEST_TMPDIR/bin/git"
  chmod +x "$BATS_TEST_TMPDIR/bin/git"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH "$DDPSUBMIT" run run.yaml 3>&- &
  eventually test -s "$BATS_TEST_TMPDIR/git.pid"
  kill $!
  # shellcheck disable=SC2016 # asked again each time
  eventually eval '! kill -0 "$(<"$BATS_TEST_TMPDIR/git.pid")"'
}

@test "record_diff alone records, and copies nothing; without git that is told" {
  write_snapshot_config 'pwd'
  echo second >../lib/text
  [ "$("$DDPSUBMIT" run run.yaml environment.snapshot=false environment.record_diff=true)" = "$PWD" ]
  "$DDPSUBMIT" describe last --diff | grep -qx +second
  use_only_run
  [ ! -e "$run_folder/source/tree" ]
  mkdir "$HOME/plain"
  cp run.yaml "$HOME/plain"
  cd "$HOME/plain"
  "$DDPSUBMIT" run run.yaml environment.snapshot=false environment.record_diff=true 2>said
  grep -q "warning: .*environment.record_diff has no effect: '$PWD' is not in a git repository" said
}

@test "without git the folder is copied, but for caches and Python environments" {
  mkdir -p "$HOME/plain"/{pkg/__pycache__,env} && cd "$HOME/plain"
  touch pkg/a.py pkg/__pycache__/a.pyc env/pyvenv.cfg
  write_snapshot_config 'find . -type f | sort'
  diff <("$DDPSUBMIT" run run.yaml) <(printf '%s\n' ./pkg/a.py ./run.yaml)
}

@test "keys without effect are told" {
  "$DDPSUBMIT" validate "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" environment.snapshot=true 2>said || true
  grep -q 'environment.snapshot has no effect: it applies to `command` only' said
  write_snapshot_config true 'record_diff: true'
  "$DDPSUBMIT" validate run.yaml 2>said
  grep -q 'environment.record_diff has no effect: environment.snapshot records the diff, too' said
  "$DDPSUBMIT" validate run.yaml environment.snapshot=false environment.snapshot_limit=1GiB 2>said
  grep -q 'environment.snapshot_limit has no effect' said
}

@test "all points of a sweep share one copy, and a point that is rerun has it" {
  write_snapshot_config './say.sh {args.x}'
  printf '%s\n' 'args: {x: 0}' 'sweep: {args.x: [1, 2]}' >>run.yaml
  id=$("$DDPSUBMIT" run run.yaml --detach 2>/dev/null)
  "$DDPSUBMIT" wait "$id"
  [ "$(find runs -name source -o -name tree | wc -l)" -eq 2 ]
  edit_everything
  [ "$("$DDPSUBMIT" rerun "$id/1" --follow | head -n 1)" = first ]
  [ "$("$DDPSUBMIT" describe "$id/1" --json | jq -r .source.copy)" = "$PWD/runs/$id/source/tree" ]
}

# A kill finds ddpsubmit among its files.
copies_files() { compgen -G 'runs/*/.source.incomplete/tree/many' >/dev/null; }

@test "a ddpsubmit that is killed while it copies leaves a run that can be started" {
  write_snapshot_config './say.sh'
  mkdir ../many
  (cd ../many && seq 20000 | xargs touch)
  "$DDPSUBMIT" run run.yaml --detach >/dev/null 2>&1 3>&- &
  until copies_files; do kill -0 $!; done
  kill -9 $!
  use_only_run
  [ ! -e "$run_folder/source" ]
  [ "$(jq -r .event "$run_folder/ledger/submit.jsonl")" = submit_intent ]
  [ "$(state_of_run)" = unknown ]
  [[ -e $false_clock_library ]] || skip 'libfaketime is not installed'
  set_clock +3m
  env "${false_clock[@]}" "$DDPSUBMIT" status last --json >answer
  [ "$(jq -r '.runs[0].state' answer)" = failed ]
  [ "$("$DDPSUBMIT" rerun last --follow | head -n 1)" = first ]
  [ "$(find "$run_folder/source/tree/many" -type f | wc -l)" -eq 20000 ]
  [ ! -e "$run_folder/.source.incomplete" ]
}

@test "a ddpsubmit that is interrupted by a full disk leaves nothing" {
  can_mount || skip 'mounting needs root'
  write_snapshot_config './say.sh'
  head -c 3000000 /dev/urandom >../large.bin
  mkdir runs
  run unshare --mount sh -c 'mount -t tmpfs -o size=2m,mode=700 tmpfs runs && "$DDPSUBMIT" run run.yaml; echo "exit $?"; ls -A runs'
  [[ $output == *"cannot copy '$repository/large.bin' into the run folder: No space left on device"*$'\nexit '[1-9]* ]]
  [[ ${lines[-1]} == exit* ]]
}
