# How ddpsubmit deals with Slurm: the environment it submits in, refusals, cancel. Lost answers: tests/slurm/exactly_once.bats.

bats_require_minimum_version 1.5.0
load ../support/fake_slurm

setup() { use_fake_slurm; }

config=$SOURCE_DIR/examples/who_am_i.yaml

@test "the job inherits the environment, less what would mislead it" {
  export KEPT='a b' RANK=3 MASTER_ADDR=h SBATCH_EXCLUSIVE=user SLURM_JOB_ID=9 SLURM_CONF=/etc/my.conf LD_PRELOAD='' \
    CUDA_VISIBLE_DEVICES=7 SQUEUE_FORMAT=%i DDPSUBMIT_RANK=1
  submit "$config" 2>said
  grep -qx 'KEPT=a b' slurm/sbatch.env
  grep -qx 'SLURM_CONF=/etc/my.conf' slurm/sbatch.env
  run grep -E '^(RANK|MASTER_|SBATCH_|SLURM_JOB|LD_PRELOAD|CUDA_VISIBLE|SQUEUE_|DDPSUBMIT_RANK)' slurm/sbatch.env
  [ "$status" -eq 1 ]
  grep -qx "DDPSUBMIT_SUBMIT_DIR=$PWD" slurm/sbatch.env
  grep -x "environment variables not passed to the job: CUDA_VISIBLE_DEVICES, DDPSUBMIT_RANK, LD_PRELOAD, MASTER_ADDR, RANK, SBATCH_EXCLUSIVE, SLURM_CONF \
and SLURM_JOB_ID" said
}

@test "secrets go into a private file and nowhere else" {
  export API_KEY=s3cret
  submit "$config" 'environment.secrets=[API_KEY]'
  [ "$(stat -c %a "$run_folder/secrets.json")" = 600 ]
  [ "$(jq -r .API_KEY "$run_folder/secrets.json")" = s3cret ]
  run grep -rl s3cret . --exclude=secrets.json
  [ "$status" -eq 1 ]
}

@test "what a submission is known by is on disk before sbatch starts" {
  cat >traced <<'TRACED'
#!/bin/bash
exec strace -f -qq -y -e trace=fsync,execve -o trace "${BASH_SOURCE[0]%/*}/the user's/bin/ddpsubmit" "$@"
TRACED
  chmod +x traced
  ddpsubmit=$PWD/traced submit "$config"
  sed '/execve.*sbatch.*--parsable/,$d' trace | sed -n 's/.* fsync([0-9]*<\([^>]*\)>.*/\1/p' | sort -u >synced
  for path in "$run_folder/ledger/submit.jsonl" "$run_folder/ledger" "$run_folder" "$PWD/runs" "$XDG_STATE_HOME/ddpsubmit/runs" \
    "$XDG_STATE_HOME/ddpsubmit/runs/${run_folder##*/}.json"; do
    grep -qxF "$path" synced || { echo "not synced: $path"; cat trace; false; }
  done
}

@test "without its secret nothing is submitted" {
  run submit "$config" 'environment.secrets=[API_KEY]'
  [ "$status" -eq 3 ]
  [[ $output == *API_KEY* ]]
  [ ! -e runs ] && [ ! -e slurm/sbatch.argv ]
}

@test "the intent, with the token of the comment, comes before the answer" {
  submit "$config"
  token=$(event submit_intent .token)
  grep -qx -e "--comment=ddpsubmit:$token" slurm/sbatch.argv
  [ "$(event submitted .job_id)" = 77 ]
  [ "$(jq -r .event "$run_folder/ledger/submit.jsonl" | paste -sd ' ')" = 'submit_intent submitted' ]
}

@test "what Slurm could never start is refused before anything is written" {
  echo 'allocation failure: Invalid qos specification' >slurm/test_only.err
  run submit "$config"
  [ "$status" -eq 10 ]
  [[ $output == *'Invalid qos specification'* ]]
  [ ! -e runs ]
}

@test "a refused job has failed, with Slurm's words" {
  echo 'sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified' >slurm/sbatch.err
  echo '76|ddpsubmit:ab' >slurm/queue # it is looked for, and another one is there
  run submit "$config"
  [ "$status" -eq 6 ]
  "$ddpsubmit" status last | grep 'failed .*Invalid account'
}

@test "a refused rerun leaves the settings of a run, and those of the points of a sweep" {
  echo 'sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified' >slurm/sbatch.err
  echo '76|ddpsubmit:ab' >slurm/queue # another job, so that the absence of this one is known
  # This Slurm does not say how many points an array may have.
  for sweep in sweep=null 'sweep.environment.set.A=[1, 2]'; do
    run ! submit "$config" resources.time=10m "$sweep"
    find runs -name spec.yaml -o -name plan.json | sort | xargs sha256sum >before
    run ! "$ddpsubmit" rerun last resources.time=20m
    [[ $output == *'Invalid account'* || $output == *'its maximum array size'* ]]
    sha256sum --check --quiet before
  done
  [ "$(wc -l <before)" -ge 6 ]
}

@test "a run waits in the queue, is cancelled, and can be cancelled again" {
  submit "$config"
  "$ddpsubmit" status 77 | grep 'queued .*Resources'
  "$ddpsubmit" list | grep -E "$run_id .*slurm +queued .* 77$"
  "$ddpsubmit" cancel 77 | grep cancelled
  [ "$(grep -E '^scancel|update' slurm/calls | paste -sd ';')" = 'scontrol update JobId=77 Requeue=0;scancel 77' ]
  [ "$(event cancel_requested .user)" = "$(id -un)" ]
  [ "$(event cancel_requested .token)" = "$(event submit_intent .token)" ]
  "$ddpsubmit" cancel 77
  [ "$(grep -c '^scancel' slurm/calls)" = 1 ]
  rm slurm/queue # Slurm forgets
  "$ddpsubmit" status 77 | grep cancelled
}

@test "who follows a run that waits is told its job and why it waits, once" {
  timeout --preserve-status -s INT 3 "$ddpsubmit" run "$config" launcher=slurm "run_root=$PWD/runs" --follow 2>said && status=0 || status=$?
  [ "$status" -eq 130 ]
  grep -x 'queued as Slurm job 77' said
  [ "$(grep -c 'is queued: .*(Slurm: Resources)' said)" = 1 ]
}

@test "a job that is gone without a word of head has failed" {
  submit "$config"
  rm slurm/queue
  run "$ddpsubmit" wait last
  [ "$status" -eq 1 ]
  [[ $output == *'Slurm no longer knows job 77'* ]]
}

# queue_row STATE REASON: what squeue prints of the run's job.
queue_row() { echo "77|77|$1|N/A|N/A|$2|N/A|me|job|ddpsubmit:$(event submit_intent .token)"; }

@test "a job that failed in its set-up lines says so, with what they printed" {
  submit "$config"
  queue_row FAILED NonZeroExitCode >slurm/queue
  echo 'slurm_script: line 9: module: command not found' >"$run_folder/logs/slurm-77.out"
  run "$ddpsubmit" wait last
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "error: run $run_id failed: Slurm says FAILED, before ddp-agent started: a line of slurm.setup or \
environment.setup failed; see logs/slurm-*.out" ]
  [ "${lines[1]}" = '   | slurm_script: line 9: module: command not found' ]
  "$ddpsubmit" describe last | grep -A 1 "^end of the job's output" | grep 'module: command'
  [ "$("$ddpsubmit" logs last 2>said)" = 'slurm_script: line 9: module: command not found' ]
  grep -qx "no rank has started; the output of the job, $run_folder/logs/slurm-77.out:" said
  [ "$("$ddpsubmit" logs last --follow 2>/dev/null)" = 'slurm_script: line 9: module: command not found' ]
  echo '{"time":"2030-01-01T00:00:00.000Z","event":"head_started","attempt":0,"host":"n1","job_id":"77"}' \
    >"$run_folder/ledger/head-0.jsonl"
  "$ddpsubmit" status last | grep 'Slurm says FAILED, but ddp-agent did not record how the run ended'
}

@test "the set-up line that failed is quoted" {
  submit "$config" 'slurm.setup=["module load cuda"]'
  queue_row FAILED NonZeroExitCode >slurm/queue
  execute_script &>"$run_folder/logs/slurm-77.out" && false
  told="set-up failed at 'module load cuda': module: command not found (environment.pass: [BASH_ENV] brings it, where BASH_ENV defines it)"
  "$ddpsubmit" status last | grep -F "failed " | grep -F "$told"
  run "$ddpsubmit" wait last
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "error: run $run_id failed: $told; see logs/slurm-77.out" ]
  "$ddpsubmit" describe last | grep -F "$told"
}

@test "a script that is not there from the submit host is a warning before the job is queued" {
  submit "$config" 'command=[python3, -u, no_such_train.py]' 2>said
  grep -F "'no_such_train.py' was not found on this host (looked in $PWD); the nodes may have it" said
  [ -s slurm/sbatch.argv ]
}

@test "variables that a job does not get: what to do where BASH_ENV defines module" {
  touch env.sh
  BASH_ENV=$PWD/env.sh submit "$config" 2>said
  grep -E "^environment variables not passed to the job: .*BASH_ENV.* \(if 'module' is missing in the job: environment.pass: \[BASH_ENV\]\)$" said
}

@test "a job whose set-up lines go on says so, and what they have printed" {
  submit "$config"
  queue_row RUNNING None >slurm/queue
  "$ddpsubmit" status last | grep 'running .*  running its set-up lines: ddp-agent has not started yet$'
  run "$ddpsubmit" logs last
  [ "$status" -eq 5 ]
  [ "${lines[0]}" = "error: the run's ranks have not started: running its set-up lines: ddp-agent has not started yet" ]
  echo 'loading modules' >"$run_folder/logs/slurm-77.out"
  [ "$("$ddpsubmit" logs last 2>said)" = 'loading modules' ]
  grep -qx "no rank has started yet; the output of the job, .*/slurm-77.out:" said
}

@test "a job that was cancelled in its set-up lines says so once" {
  submit "$config"
  queue_row CANCELLED None >slurm/queue
  run "$ddpsubmit" wait last
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "error: run $run_id was cancelled before it started" ]
  run "$ddpsubmit" logs last
  [ "$status" -eq 5 ]
  [ "${lines[0]}" = "error: the run's ranks have not started: cancelled before it started" ]
  echo 'loading modules' >"$run_folder/logs/slurm-77.out"
  [ "$("$ddpsubmit" logs last 2>/dev/null)" = 'loading modules' ]
}

@test "a wait that Slurm does not answer ends with exit 7, and says so" {
  submit "$config"
  printf '#!/bin/sh\necho "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2\nexit 1\n' \
    >"$BATS_TEST_TMPDIR/silent"
  mkdir silenced
  install -m 755 silent silenced/squeue
  PATH=$PWD/silenced:$PATH run "$ddpsubmit" wait last --timeout 1s
  [ "$status" -eq 7 ]
  [[ ${lines[0]} == 'Slurm has not answered since '??:??:??': '*'(connect failure); asking again' ]]
  [[ ${lines[1]} == "error: the state of run $run_id is unknown: Slurm has not answered since "*'(connect failure)' ]]
  run "$ddpsubmit" wait last --timeout 1s
  [ "$status" -eq 8 ]
  [ "${lines[0]}" = "run $run_id has not ended yet (queued); see: ddpsubmit status $run_id" ]
}

@test "one question to Slurm for all runs of a list" {
  submit "$config"
  submit "$config"
  "$ddpsubmit" list
  [ "$(grep -c squeue slurm/calls)" = 1 ]
}
