# The metrics of a run, for other programs.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run

setup() {
  isolate_user
  # As attempts of a Python program log: the second one does step 2 again.
  write_config 1 'printf "%s\n" \
    "{\"kind\":\"train\",\"attempt\":0,\"step\":1,\"loss\":3}" "{\"kind\":\"train\",\"attempt\":0,\"step\":2,\"loss\":2}" \
    "{\"kind\":\"first_step\",\"attempt\":1,\"step\":2}" "{\"kind\":\"train\",\"attempt\":1,\"step\":2,\"loss\":1,\"bleu\":7}" \
    >"$DDPSUBMIT_OUTPUT_DIR/../metrics.jsonl"'
  "$DDPSUBMIT" run run.yaml
}

@test "export as CSV, to stdout and to a file" {
  run --separate-stderr "$DDPSUBMIT" export last --csv
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 3 ]
  [[ ${lines[0]} == run_id,kind,attempt,step,epoch,time,loss,*,bleu$'\r' ]]
  [[ ${lines[1]} == job-*,train,0,1,,,3,*,$'\r' ]]
  [[ ${lines[2]} == job-*,train,1,2,,,1,*,7$'\r' ]]
  "$DDPSUBMIT" export last --csv -o metrics.csv
  [ "$(<metrics.csv)" = "$("$DDPSUBMIT" export last --csv)" ]
}

@test "export as JSON" {
  "$DDPSUBMIT" export last --json -o metrics.json
  [ "$(jq -r .schema metrics.json)" = ddpsubmit.export.v1 ]
  jq -e '[.series[] | select(.metric == "loss") | .step, .attempt, .value] == [[1, 2], [0, 1], [3, 1]]' metrics.json
}

@test "export for TensorBoard replaces the files of the run" {
  "$DDPSUBMIT" export last --tensorboard tb
  "$DDPSUBMIT" export last --tensorboard tb
  local files=(tb/job-*/events.out.tfevents.*.ddpsubmit)
  [ "${#files[@]}" -eq 1 ]
  grep -q train/loss "${files[0]}"
}

@test "several runs: one table, a line of JSON each, and a folder each for TensorBoard" {
  "$DDPSUBMIT" run run.yaml name=other
  [ "$("$DDPSUBMIT" export job other --csv | tail -n +2 | cut -d- -f1 | sort | uniq -c | tr -s ' \n' ' ')" = ' 2 job 2 other ' ]
  [ "$("$DDPSUBMIT" export job other job --json | jq -r .run_id | cut -d- -f1 | xargs)" = 'job other' ]
  "$DDPSUBMIT" export job other --tensorboard tb
  local files=(tb/job-*/events.out.tfevents.*.ddpsubmit tb/other-*/events.out.tfevents.*.ddpsubmit)
  [ "${#files[@]}" -eq 2 ]
}

@test "several runs, of which one has no metrics: the others, and a note" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml name=silent
  run --separate-stderr "$DDPSUBMIT" export job silent --csv
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 3 ]
  [[ $stderr == *"run 'silent-"*"has no metrics"* ]]
  echo 'sweep: {environment.set.X: [1, 2]}' >>run.yaml
  "$DDPSUBMIT" run run.yaml name=silent-sweep
  "$DDPSUBMIT" export job silent-sweep --tensorboard tb
  [ "$(cd tb && echo *)" = "$(cd runs && echo job-*)" ]
}

@test "a run without metrics: exit 5" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  run "$DDPSUBMIT" export last --csv
  [ "$status" -eq 5 ]
  [[ $output == *"has no metrics"* ]]
}
