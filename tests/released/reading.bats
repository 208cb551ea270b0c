# Run folders that a released version has recorded: each verb prints about them what is recorded in said/, byte for byte. A rerun resumes
# them. ARCHIVE is the record of that version (VERSION.tar.xz); empty: one that the programs of today make.

load ../support/local_run
load released

setup_file() {
  local archive=${ARCHIVE:-$BATS_FILE_TMPDIR/today.tar.xz}
  [[ -n ${ARCHIVE:-} ]] || "$SOURCE_DIR/tests/released/record" "${DDPSUBMIT%/*}" "$archive"
  mkdir "$BATS_FILE_TMPDIR/recorded"
  tar --extract --no-same-owner --file "$archive" --directory "$BATS_FILE_TMPDIR/recorded"
}

setup() {
  data=$BATS_FILE_TMPDIR/recorded
  isolate_user
  use_folder_of_runs
  lay_out "$data/ended"
}

# says_the_same NAME...: the calls that are recorded under these names print the same again. A difference does not end the comparison.
says_the_same() {
  local name code=0
  forbid_questions
  for name; do
    say_again "$data/said/$name" >"$name.said"
    diff -u "$data/said/$name" "$name.said" || code=1
  done
  [ ! -e asked ] || { cat asked && false; }
  return "$code"
}
said_of() { (cd "$data/said" && compgen -G "$1"); }

@test "runs of this machine: status, describe, wait, logs, and a rerun with nothing left to do" {
  mapfile -t names < <(said_of 'local-*')
  [ "${#names[@]}" -ge 7 ]
  says_the_same "${names[@]}"
}

@test "runs of Slurm, which nobody asks about them" {
  mapfile -t names < <(said_of 'slurm-*')
  [ "${#names[@]}" -ge 5 ]
  says_the_same "${names[@]}"
}

@test "runs over ssh, with a shared folder and a pushed one; no host is asked" {
  mapfile -t names < <(said_of 'ssh-*')
  [ "${#names[@]}" -ge 2 ]
  says_the_same "${names[@]}"
}

@test "the list of them, also when their successes have been confirmed before" {
  says_the_same list
  [ -s state/ddpsubmit/confirmed ]
  rm -r forbidden
  says_the_same list
}

# use_run NAME: sets run_id and run_folder.
use_run() {
  run_id=$("$DDPSUBMIT" status "$1" --json | jq -r '.runs[0].run_id')
  run_folder=$PWD/runs/$run_id
}

# recorded NAME VERB FILTER: what the jq FILTER makes of the JSON that the call VERB NAME once printed.
recorded() {
  sed -n "/^\\$ ddpsubmit $2 $1 --json\$/,/^exit code/{//!p}" "$data/said/$1" | sed "s|@ROOT@|$PWD|g; s|@BIN@|${DDPSUBMIT%/*}|g" | jq -cS "$3"
}

@test "a command that failed runs again: attempt 1 follows attempt 0, of which the same is said as before" {
  use_run local-failed
  "$DDPSUBMIT" rerun local-failed --detach --json >answer
  what_stays='[.run_id, .name, .run_dir, .launcher, .job_id, .created, .cancel_requested, .sweep]'
  [ "$(jq -cS "$what_stays" answer)" = "$(recorded local-failed describe "$what_stays")" ]
  [ "$(jq -r .schema answer)" = ddpsubmit.rerun.v1 ]
  "$DDPSUBMIT" wait local-failed
  "$DDPSUBMIT" describe local-failed --json >described
  diff <(jq -cS '.attempts[0]' described) <(recorded local-failed describe '.attempts[0]')
  [ "$(jq -c '[.attempts[] | [.number, .outcome, [.ranks[] | [.rank, .code, .signal]]]]' described)" = \
    '[[0,"failed",[[0,null,9],[1,3,null]]],[1,"succeeded",[[0,0,null],[1,0,null]]]]' ]
  [ "$(jq -c '[.state, .exit_code, .cause, .created, (.recovery.attempts | length)]' described)" = \
    "$(recorded local-failed describe '["succeeded", 0, null, .created, 1]')" ]
  [ "$(event submit_intent .launcher | xargs)" = 'local local' ]
  [ "$(jq -r '"\(.event) \(.attempt)"' "$run_folder"/ledger/head-1.jsonl | uniq | sed -n '1p;$p' | xargs)" = 'head_started 1 run_ended 1' ]
  [ "$("$DDPSUBMIT" logs local-failed --rank 1 --stdout)" = 'attempt 1 of rank 1' ]
  [ "$("$DDPSUBMIT" logs local-failed --rank 1 --attempt 0 --stdout)" = 'attempt 0 of rank 1' ]
}

@test "a training that was cancelled goes on from the checkpoint of then" {
  use_run local-cancelled
  step=$(recorded local-cancelled describe .checkpoint.step)
  "$DDPSUBMIT" rerun local-cancelled --detach
  "$DDPSUBMIT" wait local-cancelled
  [ "$(outcomes)" = 'cancelled succeeded' ]
  [ "$(event head_started .resumes_from | tail -n 1)" = "$step" ]
  grep -x "resumed from step $step" "$run_folder/logs/attempt-1/rank-0.out"
  "$DDPSUBMIT" describe local-cancelled --json >described
  [ "$(jq -c '[.attempts[] | [.number, .resumed_from]]' described)" = "[[0,null],[1,$step]]" ]
  diff <(jq -cS '.attempts[0]' described) <(recorded local-cancelled describe '.attempts[0]')
}

@test "of a sweep the point that failed runs again, and the other one is left as it was" {
  use_run local-failed-sweep
  points=$run_folder/points
  cp -R "$points/0" before
  "$DDPSUBMIT" rerun local-failed-sweep --detach --json >answer
  [ "$(jq -r '"\(.schema) \(.run_id)"' answer)" = "ddpsubmit.rerun.v1 $run_id" ]
  run "$DDPSUBMIT" wait local-failed-sweep
  [ "$status" -eq 1 ]
  [ "$(event submit_intent '"\(.first_point) \(.tasks)"' | paste -sd ,)" = '0 0-1,1 0' ]
  [ "$("$DDPSUBMIT" status local-failed-sweep/1 --json | jq -r '.runs[0].state')" = failed ]
  [ "$("$DDPSUBMIT" describe local-failed-sweep/1 --json | jq -c '[.attempts[].number]')" = '[0,1]' ]
  diff -r before "$points/0"
}
