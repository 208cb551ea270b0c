# A job that waits in the queue runs the code of its submit.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks
# shellcheck disable=SC2034 # slurm_run.bash reads run_folder

load ../support/eventually
load ../support/slurm_run
load ../support/repository
load ../support/second_try

setup() {
  isolate_user
  make_repository
  cat >run.yaml <<'CONFIG'
name: job
launcher: slurm
run_root: runs
resources: {nodes: 2, time: 10m}
environment:
  snapshot: true
  setup: ['export FROM="$(pwd) $DDPSUBMIT_SUBMIT_DIR $(cat ../lib/text)"']
command: [sh, -c, './say.sh; echo "$FROM"; echo "$DDPSUBMIT_SUBMIT_DIR"']
CONFIG
}
teardown() { "$DDPSUBMIT" cancel last &>/dev/null || true; }

edit_everything() {
  echo second >../lib/text
  echo 'echo edited' >say.sh
}
said_by_ranks() {
  local copy=$PWD/runs/$1/source/tree
  for rank in 0 1; do
    diff "runs/$1/logs/attempt-$2/rank-$rank.out" \
      <(printf '%s\n' first "$copy/sub" "$copy/sub $PWD first" "$PWD")
  done
}

@test "a held job that is released after an edit" {
  id=$("$DDPSUBMIT" run run.yaml 'slurm.options.hold=""')
  edit_everything
  run_folder=$PWD/runs/$id
  scontrol release "$(job_id)"
  "$DDPSUBMIT" wait "$id"
  said_by_ranks "$id" 0
  "$DDPSUBMIT" rerun "$id" --detach
  scontrol release "$(job_id | tail -n 1)"
  "$DDPSUBMIT" wait "$id"
  said_by_ranks "$id" 1
}

@test "tasks of an array that wait" {
  printf '%s\n' 'sweep: {args.x: [1, 2]}' 'args: {x: 0}' >>run.yaml
  sed -i 's/^command.*/command: [sh, -c, "cat ..\/lib\/text", "{args.x}"]/' run.yaml
  id=$("$DDPSUBMIT" run run.yaml 'slurm.options.hold=""')
  edit_everything
  run_folder=$PWD/runs/$id
  scontrol release "$(job_id)"
  "$DDPSUBMIT" wait "$id"
  [ "$(cat runs/"$id"/points/*/logs/attempt-0/rank-0.out | xargs)" = 'first first' ]
}
