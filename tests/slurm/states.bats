# What is said of runs on a Slurm that keeps no accounts and forgets jobs two seconds after their end: needs MinJobAge=2.

load ../support/eventually
load ../support/slurm_run
load ../support/slurm_faults
load ../support/second_try

setup() { isolate_user; }

teardown() {
  kill -CONT "$(rig_pid slurmctld)" 2>/dev/null || start_controller # a case that failed may have left it down
  scancel --user="$(id -un)" 2>/dev/null || true
}

# remember_calls TOOL: how it is called is from now on in calls.
remember_calls() {
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\necho "%s $*" >>%q\nexec %q "$@"\n' "$1" "$BATS_TEST_TMPDIR/calls" "$(type -P "$1")" >"$BATS_TEST_TMPDIR/bin/$1"
  chmod +x "$BATS_TEST_TMPDIR/bin/$1"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

occupy_all_nodes() { sbatch --quiet --nodes=3 --exclusive --time=10 --output=/dev/null --wrap='sleep 600'; }
slurm_has_forgotten() { ! squeue -h -t all -j "$1" &>/dev/null; }
says() { grep -q "$1" "$2"; }
slurm_says() { [[ $(squeue -h -t all -j "$(job_id)" -o '%T %r') == "$1" ]]; }
status_is() { [[ $(state_of_run) == "$1" ]]; }
# Slurm names the reason first, and the time when its backfill has planned the job.
start_is_expected() {
  "$DDPSUBMIT" status last --json | jq -e '.runs[0] | .state == "queued" and .expected_start > .submitted'
}

@test "a run that Slurm has forgotten keeps its end, also without the controller" {
  submit_short
  "$DDPSUBMIT" wait last
  eventually slurm_has_forgotten "$(job_id)"
  [ "$(state_of_run)" = succeeded ]
  stop_controller
  [ "$(state_of_run)" = succeeded ]
  start_controller
}

@test "an end that nobody wrote is written down by the first who proves it" {
  submit_command 'sleep 600'
  eventually ranks_have_started
  kill -9 "$(event head_started .pid)"
  eventually status_is failed
  said=$("$DDPSUBMIT" status last)
  [ "$(event run_ended '"\(.state) \(.attempt)"')" = 'failed 0' ]
  ls "$run_folder"/ledger/observer-login0-*.jsonl
  eventually slurm_has_forgotten "$(job_id)"
  stop_controller
  [ "$("$DDPSUBMIT" status last)" = "$said" ]
  start_controller
  [ "$(event run_ended .state)" = failed ]
}

@test "a name means its newest run, and nobody is asked about the others" {
  submit 'slurm.options={hold: ""}'
  older=$run_id
  submit_short
  "$DDPSUBMIT" wait "$run_id"
  name=$("$DDPSUBMIT" status "$run_id" --json | jq -r '.runs[0].name')
  for tool in squeue scontrol sacct; do remember_calls "$tool"; done
  for verb in status logs wait; do
    "$DDPSUBMIT" "$verb" "$name" 2>said
    grep -F "'$name' matches several runs; using $run_id, the newest; also active: $older" said
  done
  [ ! -e calls ]
  "$DDPSUBMIT" cancel "$older"
  [ -s calls ]
}

@test "a job that was forgotten before anybody looked has failed" {
  submit 'slurm.setup=["exit 3"]'
  eventually slurm_has_forgotten "$(job_id)"
  "$DDPSUBMIT" status last | grep "failed .*Slurm no longer knows job $(job_id), and ddp-agent has not started"
}

@test "a run that waits says why, what to do, and when it is expected to start" {
  occupy_all_nodes
  submit resources.time=00:05:00
  eventually slurm_says 'PENDING Resources'
  eventually start_is_expected
  "$DDPSUBMIT" status last | grep 'queued .*no nodes are free for it yet.*(Slurm: Resources); expected to start at 20..-..-.. ..:..:.., in '
  scontrol uhold "$(job_id)"
  "$DDPSUBMIT" describe last | grep "held by its owner; release it: scontrol release $(job_id)"
}

@test "while the controller is away nobody knows, and wait goes on when it is back" {
  submit_command 'sleep 600'
  eventually ranks_have_started
  "$DDPSUBMIT" wait last 2>said 3>&- &
  waiting=$!
  stop_controller
  "$DDPSUBMIT" status last | grep 'unknown .*Slurm has not answered since ..:..:..: '
  eventually says "^Slurm has not answered since ..:..:..: .*; asking again" said
  start_controller
  eventually says "^run $run_id is running" said
  scancel "$(job_id)"
  status=0
  wait "$waiting" || status=$?
  [ "$status" -eq 1 ]
  grep "^error: run $run_id was cancelled" said
  run grep failed said
  [ "$status" -eq 1 ]
}

@test "cancel of two runs at once, one of them in the queue: one scancel, and twice is as good as once" {
  submit_command 'sleep 600'
  eventually ranks_have_started
  first=$run_id
  occupy_all_nodes
  submit
  remember_calls scancel
  "$DDPSUBMIT" cancel "$first" "$run_id" >said
  [ "$(grep -c cancelled said)" = 2 ]
  "$DDPSUBMIT" cancel "$first" "$run_id" >said
  [ "$(grep -c cancelled said)" = 2 ]
  [ "$(wc -l <calls)" = 1 ]
}

@test "cancel of a job that waits to be started again: it never starts again" {
  submit 'slurm.setup=["sleep 600"]'
  eventually slurm_says 'RUNNING None'
  scontrol update "JobId=$(job_id)" Requeue=1
  scontrol requeue "$(job_id)"
  eventually slurm_says 'PENDING BeginTime'
  "$DDPSUBMIT" status last | grep 'queued .*(Slurm: BeginTime)'
  "$DDPSUBMIT" cancel last | grep cancelled
  [ "$(squeue -h -t PENDING,RUNNING)" = '' ]
  run scontrol requeue "$(job_id)"
  [ "$status" -ne 0 ]
  eventually slurm_has_forgotten "$(job_id)"
  [ "$(state_of_run)" = cancelled ]
  [ ! -e "$run_folder/attempts/0" ]
}

@test "cancel asks a controller that is silent once, and says so once; the cancel is on record" {
  submit "${endless[@]}"
  first=$run_id
  submit "${endless[@]}"
  for tool in squeue scontrol scancel; do remember_calls $tool; done
  kill -STOP "$(rig_pid slurmctld)"
  "$DDPSUBMIT" cancel "$first" "$run_id" 2>said && status=0 || status=$?
  kill -CONT "$(rig_pid slurmctld)"
  [ "$status" -eq 7 ]
  [ "$(wc -l <calls)" = 1 ]
  [ "$(grep -c 'Slurm does not answer: ' said)" = 1 ]
  [ "$(event cancel_requested .token)" = "$(event submit_intent .token)" ]
  "$DDPSUBMIT" cancel "$first" "$run_id"
}

@test "one squeue for any number of runs" {
  occupy_all_nodes
  submit
  submit
  submit
  remember_calls squeue
  [ "$("$DDPSUBMIT" list | grep -c queued)" = 3 ]
  [ "$(wc -l <calls)" = 1 ]
}

field_of_run() { "$DDPSUBMIT" status last --json 2>/dev/null | jq -r ".runs[0].$1"; }
job_is_there() { [[ $(jobs_there) == "$1" ]]; }
jobs_there() { squeue -h -t PENDING,RUNNING -o %i; }

@test "a submission that is lost in damaged lines is found by the token in its script; it is never made a second time" {
  submit 'slurm.options.hold=""'
  "$DDPSUBMIT" cancel last
  "$DDPSUBMIT" rerun last
  local second
  second=$(field_of_run job_id)
  sed -i '3,$s/.*/damaged/' "$run_folder/ledger/submit.jsonl"
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 8 ]
  [[ $output == *'warning: '*'/ledger/submit.jsonl:3 and 1 more cannot be read: the lines are ignored'* ]]
  [ "$(field_of_run job_id)" = "$second" ]
  [ "$(jobs_there)" = "$second" ]
  "$DDPSUBMIT" cancel last | grep cancelled
  [ -z "$(jobs_there)" ]
  eventually slurm_has_forgotten "$second"
  status_is cancelled # it is on record now
}

@test "a submission of which the ledger keeps nothing, or zeros, is found by the token in its script; it is never made a second time" {
  submit 'slurm.options.hold=""'
  "$DDPSUBMIT" cancel last
  "$DDPSUBMIT" rerun last
  local second
  second=$(field_of_run job_id)
  head -n 2 "$run_folder/ledger/submit.jsonl" >first
  cat first >"$run_folder/ledger/submit.jsonl"
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 7 ]
  [[ $output == *"job $second belongs to run $run_id, but the ledger has lost its submission"*"scancel $second"* ]]
  head -c 300 /dev/zero >>"$run_folder/ledger/submit.jsonl"
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 8 ]
  [ "$(field_of_run job_id)" = "$second" ]
  [ "$(jobs_there)" = "$second" ]
  "$DDPSUBMIT" cancel last | grep cancelled
}

@test "a submission that is lost in damaged lines, and that Slurm has forgotten, is never made a second time: exit 7" {
  submit 'slurm.options.hold=""'
  "$DDPSUBMIT" cancel last
  "$DDPSUBMIT" rerun last
  local second token
  second=$(field_of_run job_id)
  token=$(event submit_intent .token | tail -n 1)
  sed -i '3,$s/.*/damaged/' "$run_folder/ledger/submit.jsonl"
  scancel "$second"
  eventually slurm_has_forgotten "$second"
  status_is unknown
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 7 ]
  [[ $output == *"it is unknown whether the submission succeeded: its record cannot be read, and no job has its token $token"* ]]
  [[ $output == *"squeue --me --format='%i %T %k' | grep $token; if there is none, remove the unreadable lines from the ledger"* ]]
  run "$DDPSUBMIT" cancel last
  [ "$status" -eq 7 ]
  [ -z "$(jobs_there)" ]
  sed -i '/damaged/d' "$run_folder/ledger/submit.jsonl"
  rm "$run_folder"/ledger/cancel-*
  "$DDPSUBMIT" rerun last
  "$DDPSUBMIT" cancel last | grep cancelled
}

# hide_submission LINES [FOLDER]: those lines of its ledger are damaged, and the clock of the file server is behind.
hide_submission() {
  local ledger=${2:-$run_folder}/ledger/submit.jsonl
  sed -i "$1s/.*/damaged/" "$ledger"
  touch -d '1 hour ago' "$ledger"
}

@test "a submission that is lost in damaged lines is not made a second time, whatever the clock of the file server says" {
  submit_short
  "$DDPSUBMIT" wait last
  sed -i 's/epochs: 1\b/epochs: 2/' "$run_folder/spec.yaml"
  occupy_all_nodes
  local second lines
  for lines in '3,$' '2,$'; do
    "$DDPSUBMIT" rerun last
    second=$(field_of_run job_id)
    hide_submission "$lines"
    run "$DDPSUBMIT" rerun last
    [ "$status" -eq 8 ]
    [ "$(field_of_run state)" = queued ]
    [ "$(jobs_there | grep -c "^$second\$")" = 1 ]
    [ "$(jobs_there | wc -l)" = 2 ]
    "$DDPSUBMIT" cancel last | grep cancelled
    [ "$(jobs_there | wc -l)" = 1 ]
  done
}

@test "a run that has succeeded stays one, whenever the lines of its submission were damaged" {
  submit_short
  "$DDPSUBMIT" wait last
  sed -i 's/epochs: 1\b/epochs: 2/' "$run_folder/spec.yaml"
  "$DDPSUBMIT" rerun last
  "$DDPSUBMIT" wait last
  sed -i '3,$s/.*/damaged/' "$run_folder/ledger/submit.jsonl"
  status_is succeeded
  sed -i '2s/.*/damaged/' "$run_folder/ledger/submit.jsonl"
  run "$DDPSUBMIT" status last
  [[ $output != *failed* ]]
}

@test "a job that waits to be started again is not a success whose last word is lost" {
  submit_short fault_tolerance.requeue=true
  "$DDPSUBMIT" wait last
  local job
  job=$(job_id)
  sed -i '$s/.*/damaged/' "$run_folder/ledger/head-0.jsonl"
  scontrol requeuehold "$job"
  eventually job_is_there "$job"
  [ "$(field_of_run state)" = queued ]
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 8 ]
  [ "$(jobs_there)" = "$job" ]
}

# is_refused_because_of JOB RUN NAME: `rerun RUN`, since the ledger of NAME has lost JOB.
is_refused_because_of() {
  run "$DDPSUBMIT" rerun "$2"
  [ "$status" -eq 7 ]
  [[ $output == *"job $1 belongs to run $3, but the ledger has lost its submission"*"scancel $1"* ]]
  [ "$(jobs_there | wc -l)" = 2 ]
}

@test "the submission of a sweep, or of a point, that is lost in damaged lines is not made a second time" {
  submit 'environment.setup=["exit 3"]' 'sweep.train.seed=[1, 2]'
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  occupy_all_nodes
  "$DDPSUBMIT" rerun last
  local second
  second=$(jobs_there | grep -o '^[0-9]*_' | tr -d _)
  # Its answer can be read, and was written by another verb.
  sed -n 4p "$run_folder/ledger/submit.jsonl" >"$run_folder/ledger/found-7-1.jsonl"
  sed -i 4d "$run_folder/ledger/submit.jsonl"
  hide_submission 3
  is_refused_because_of "$second" last "$run_id"
  is_refused_because_of "$second" "$run_id/1" "$run_id"
  rm "$run_folder/ledger/found-7-1.jsonl"
  is_refused_because_of "$second" last "$run_id"
  scancel "$second"
  "$DDPSUBMIT" rerun "$run_id/1"
  second=$(jobs_there | sort -n | tail -n 1)
  hide_submission '1,$' "$run_folder/points/1"
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 8 ]
  [[ $output == *"sweep $run_id has not ended"* ]]
  [ "$(jobs_there | wc -l)" = 2 ]
  "$DDPSUBMIT" cancel "$run_id/1" | grep cancelled
  [ "$(jobs_there | wc -l)" = 1 ]
}
