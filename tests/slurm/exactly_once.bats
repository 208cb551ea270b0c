# One job a submission, whatever happens to the controller, to sbatch's answer, and to ddpsubmit.

load ../support/eventually
load ../support/slurm_run
load ../support/slurm_faults

setup() {
  isolate_user
  controller_answers || start_controller
  printf '%s\n' 'name: once' 'launcher: slurm' 'run_root: runs' 'command: [sleep, "2"]' >run.yaml
}

# in_sbatch LINE...: the shell runs these in place of sbatch, when a job is submitted. real is sbatch itself, ddpsubmit its parent.
in_sbatch() {
  mkdir -p bin
  {
    printf '%s\n' '#!/bin/bash' "real=$(command -v sbatch) ddpsubmit=\$PPID" "cd '$BATS_TEST_TMPDIR'" \
      "[[ \$1 == --parsable ]] || exec \$real \"\$@\"" "source '$SOURCE_DIR/tests/support/eventually.bash'" \
      "source '$SOURCE_DIR/tests/support/slurm_faults.bash'"
    printf '%s\n' "$@"
  } >bin/sbatch
  chmod +x bin/sbatch
  PATH=$PWD/bin:$PATH
}
real_sbatch() { rm bin/sbatch && hash -r; }

# A ddpsubmit that its sbatch kills. Until that sbatch is gone, too, the run counts as being submitted.
run_killed() {
  run "$DDPSUBMIT" "$@"
  [ "$status" -eq 137 ]
  [[ $1 == rerun ]] || use_newest_folder
  eventually flock --nonblock "$run_folder/ledger/submit.jsonl" true
}

use_last_run() {
  run_id=$("$DDPSUBMIT" list --json | jq -r '.runs[0].run_id')
  # shellcheck disable=SC2034 # for the functions of run_records
  run_folder=$PWD/runs/$run_id
}

# That of the newest submission, without a look at any run. A run that is at work renews other files of its folder.
use_newest_folder() {
  local submission
  # shellcheck disable=SC2012 # names of runs have no blanks
  submission=$(ls -t runs/*/ledger/submit.jsonl | head -n 1)
  # shellcheck disable=SC2034 # for the functions of run_records
  run_folder=$PWD/${submission%/ledger/*}
}

# Of all jobs that the controller has seen since the test began.
jobs_of_run() { squeue -h -t all -o '%i %k' | grep -F "ddpsubmit:$(event submit_intent .token)" | cut -d ' ' -f 1; }
# Whoever looks after the job's head has started knows the job by what head has written, and records nothing.
jobs_on_record() { { event submitted .job_id && event head_started .job_id; } | sort -u | xargs; }
has_one_job() {
  local jobs
  jobs=$(jobs_of_run | xargs)
  echo "jobs of the controller: '$jobs'; on record: '$(jobs_on_record)'"
  [[ $jobs =~ ^[0-9]+$ && $jobs == "$(jobs_on_record)" ]]
}

state_is() { [[ $(state_of_run) == "$1" ]]; }

@test "a controller that is frozen for 15 s during sbatch: one job, and its id as if nothing had happened" {
  # shellcheck disable=SC2016 # for sbatch's place
  in_sbatch 'freeze_controller 15' 'exec $real "$@"'
  "$DDPSUBMIT" run run.yaml >id 2>said
  use_last_run
  [ "$(cat id)" = "$run_id" ]
  grep -F 'timed out' said
  grep -F 'looking for the job by its token' said
  grep -F "queued as Slurm job $(job_id)" said
  has_one_job
  "$DDPSUBMIT" wait last
  has_one_job
}

# The nodes of a job may be completing for a while after its end.
are_gone() { [[ -z $(squeue -h -j "$(cat first),$(cat second)") ]]; }

# A site's own sbatch, which tries a second time: the first job is the one that nobody is told of.
# shellcheck disable=SC2016 # for sbatch's place
submit_twice() { in_sbatch '$real "$@" >first' '$real "$@" >second' 'cat second'; }

@test "an sbatch that submits twice: one job runs, the other one refuses, and the run is that of the first" {
  # shellcheck disable=SC2016 # for the shell of the ranks
  submit_twice
  "$DDPSUBMIT" run run.yaml 'slurm.options.hold=""' 'command=[sh, -c, "until [ -e go_on ]; do sleep 0.1; done"]'
  real_sbatch
  use_last_run
  [ "$(event submitted .job_id)" = "$(cat second)" ]
  scontrol release "$(cat first)"
  eventually state_is running
  scontrol release "$(cat second)"
  eventually grep -Fq "job $(cat first) runs this run already; this one, $(cat second), ends" "$run_folder/logs/slurm-$(cat second).out"
  # shellcheck disable=SC2016 # asked again each time
  eventually eval '[[ $(squeue -h -t all -j "$(cat second)" -o %T) == FAILED ]]'
  state_is running
  [ "$(ls "$run_folder/attempts")" = 0 ]
  : >go_on
  "$DDPSUBMIT" wait last
  rm go_on
}

@test "an sbatch that submits twice: when one job has ended the run, the other one starts no ranks" {
  submit_twice
  "$DDPSUBMIT" run run.yaml 'slurm.options.hold=""' 'command=[sh, -c, "echo started >>starts"]'
  real_sbatch
  use_last_run
  scontrol release "$(cat first)"
  eventually state_is succeeded
  scontrol release "$(cat second)"
  eventually grep -Fq 'the run has already ended, and Slurm has started another job of the same submission' \
    "$run_folder/logs/slurm-$(cat second).out"
  # shellcheck disable=SC2016 # asked again each time
  eventually eval '[[ $(squeue -h -t all -j "$(cat second)" -o %T) == COMPLETED ]]'
  state_is succeeded
  "$DDPSUBMIT" rerun last
  scontrol release "$(event submitted .job_id | tail -n 1)"
  "$DDPSUBMIT" wait last
  [ "$(wc -l <starts)" = 2 ]
}

@test "an sbatch that submits twice: cancel ends both jobs and tells of them, whichever the head has named" {
  submit_twice
  "$DDPSUBMIT" run run.yaml 'slurm.options.hold=""'
  "$DDPSUBMIT" cancel last 2>said
  grep -F "job $(cat first) is of the same submission as job $(cat second); cancelling both" said
  eventually are_gone
  "$DDPSUBMIT" run run.yaml 'slurm.options.hold=""' 'command=[sleep, "1000"]'
  real_sbatch
  scontrol release "$(cat first)"
  # shellcheck disable=SC2016 # asked again each time
  eventually state_is running
  "$DDPSUBMIT" cancel last 2>said
  grep -F "job $(cat second) is of the same submission as job $(cat first); cancelling both" said
  eventually are_gone
}

@test "a comment of the user's own beside the token: its job is found when ddpsubmit is killed" {
  # shellcheck disable=SC2016
  in_sbatch '$real "$@" >answer' 'kill -9 $ddpsubmit'
  run_killed run run.yaml 'slurm.options.hold=""' "slurm.comment='{\"a\": \"it''s ddpsubmit:0000000000000000\"}'"
  real_sbatch
  "$DDPSUBMIT" status last
  [ "$(event submitted .job_id)" = "$(cat answer)" ]
  [ "$(event submitted .found)" = true ]
  [ "$(squeue -h -j "$(cat answer)" -o %k)" = "ddpsubmit:$(event submit_intent .token) {\"a\": \"it's ddpsubmit:0000000000000000\"}" ]
  has_one_job
  "$DDPSUBMIT" cancel last
}

@test "a ddpsubmit that is killed when sbatch has answered: the next verb finds the job" {
  for verb in 'status last' 'list' 'logs last --follow' 'wait last' 'cancel last'; do
    # shellcheck disable=SC2016
    in_sbatch '$real "$@" >answer' 'kill -9 $ddpsubmit'
    run_killed run run.yaml 'slurm.options.hold=""' # so that no head tells of it
    real_sbatch
    # shellcheck disable=SC2086 # words of it
    "$DDPSUBMIT" $verb >said 2>&1 3>&- &
    looking=$!
    # shellcheck disable=SC2016 # asked again each time
    eventually eval '[[ $(event submitted .found) == true ]]'
    [ "$(job_id)" = "$(cat answer)" ]
    has_one_job
    [[ $verb == 'cancel last' ]] || scontrol release "$(job_id)"
    wait "$looking" || [[ $verb == 'cancel last' ]]
  done
  eventually state_is cancelled
}

@test "the job of an unchecked submission is found with the cluster that has it" {
  # shellcheck disable=SC2016
  in_sbatch '$real "$@" >answer' 'kill -9 $ddpsubmit'
  run_killed run run.yaml --no-preflight 'slurm.options.hold=""'
  real_sbatch
  use_last_run # which looks for the job
  [ "$(event submit_intent .cluster)" = null ]
  [ "$(event submitted .cluster)" = "$(scontrol show config | sed -n 's/^ClusterName *= //p')" ]
  "$DDPSUBMIT" cancel last
}

# The first job is known by its head alone: nobody looks at the run before it has ended. The second one is held, so that it has no head.
lose_run_and_rerun() {
  rm -f hold
  # shellcheck disable=SC2016
  in_sbatch '[[ ! -e hold ]] || set -- --hold "$@"' '$real "$@" >answer' 'kill -9 $ddpsubmit'
  run_killed run run.yaml
  first_job=$(cat answer)
  # shellcheck disable=SC2016 # asked again each time
  eventually eval '[[ $(event run_ended .state) == succeeded ]]'
  : >hold
  run_killed rerun last
  [ "$(cat answer)" -gt "$first_job" ]
  real_sbatch
}

@test "a rerun whose ddpsubmit is killed too: its job is found, not the one before it" {
  lose_run_and_rerun
  "$DDPSUBMIT" status last
  [ "$(job_id)" = "$(cat answer)" ]
  scontrol release "$(job_id)"
  "$DDPSUBMIT" wait last
  [ "$(jobs_of_run | sort -n | xargs)" = "$first_job $(cat answer)" ]
}

@test "a ddpsubmit that is killed before anything is sent: nothing is queued, the next verb says so, and a rerun submits" {
  # shellcheck disable=SC2016
  in_sbatch 'kill -9 $ddpsubmit'
  run_killed run run.yaml
  real_sbatch
  "$DDPSUBMIT" status last | grep 'failed .*nothing was submitted'
  "$DDPSUBMIT" rerun last
  "$DDPSUBMIT" wait last
}

@test "while the sbatch of a killed ddpsubmit lives, its run is neither lost nor submitted again" {
  # shellcheck disable=SC2016
  in_sbatch 'kill -9 $ddpsubmit' ': >waits' 'eventually test -e go_on' 'exec $real "$@"'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 137 ]
  eventually test -e waits
  "$DDPSUBMIT" status last | grep 'queued .*it is being submitted'
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 8 ]
  : >go_on
  eventually state_is succeeded
  use_last_run
  has_one_job
}

@test "a controller that dies with the answer, and comes back: the job is found within the same run" {
  # shellcheck disable=SC2016
  in_sbatch '$real "$@" >answer' 'stop_controller' '(sleep 12; start_controller) >/dev/null 2>&1 &' \
    'echo "sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received" >&2' 'exit 1'
  # A job that has begun would need the controller for its srun.
  "$DDPSUBMIT" run run.yaml 'slurm.options.hold=""' 2>said
  grep -F 'Slurm does not answer; looking for the job' said
  use_last_run
  [ "$(job_id)" = "$(cat answer)" ]
  scontrol release "$(job_id)"
  "$DDPSUBMIT" wait last
  has_one_job
}

@test "a controller that stays away with the answer: exit 7 with the token, and no second job when it is back" {
  shorten job_search
  # A job that has not begun: the controller may start one before it stops.
  # shellcheck disable=SC2016
  in_sbatch '$real "$@" >answer' 'stop_controller' \
    'echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2' 'exit 1'
  run "$DDPSUBMIT" run run.yaml 'slurm.options.hold=""'
  [ "$status" -eq 7 ]
  real_sbatch
  use_last_run
  [[ $output == *"its comment is ddpsubmit:$(event submit_intent .token)"* ]]
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 8 ]
  start_controller
  eventually state_is queued # found, and so written down, before the job can be over
  scontrol release "$(cat answer)"
  eventually state_is succeeded
  [ "$(job_id)" = "$(cat answer)" ]
  has_one_job
}

@test "a request that never arrived is submitted once more" {
  # shellcheck disable=SC2016
  in_sbatch '[[ -e sent ]] && exec $real "$@"' ': >sent' \
    'echo "sbatch: error: Batch job submission failed: Unable to contact slurm controller (send failure)" >&2' 'exit 1'
  "$DDPSUBMIT" run run.yaml 2>said
  grep -F 'submitting it again' said
  use_last_run
  has_one_job
  "$DDPSUBMIT" wait last
}

@test "a controller that is down: nothing is queued, a refused rerun changes no setting, and the next one submits" {
  # shellcheck disable=SC2016
  in_sbatch 'stop_controller' 'exec $real "$@"'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 10 ]
  real_sbatch
  use_newest_folder
  cp "$run_folder"/{spec.yaml,plan.json} .
  run "$DDPSUBMIT" rerun last --no-preflight resources.time=20m
  [ "$status" -eq 10 ]
  cmp spec.yaml "$run_folder/spec.yaml"
  cmp plan.json "$run_folder/plan.json"
  start_controller
  eventually sbatch --test-only --wrap=true # the nodes have to report first
  "$DDPSUBMIT" rerun last
  "$DDPSUBMIT" wait last
  use_last_run
  [ "$(squeue -h -t all -o %k | grep -c -F "$(event submit_intent .token | tail -n 1)")" -eq 1 ]
}

# The plugin is read when the controller starts.
rewrite_comments() {
  stop_controller
  cp /etc/slurm/slurm.conf slurm.conf
  printf '%s\n' 'function slurm_job_submit(job) job.comment = "project x"; return slurm.SUCCESS end' \
    'function slurm_job_modify() return slurm.SUCCESS end' 'return slurm' >/run/rig/etc/job_submit.lua
  echo JobSubmitPlugins=lua >>/run/rig/etc/slurm.conf
  start_controller
}
leave_comments() {
  stop_controller
  cp slurm.conf /run/rig/etc/slurm.conf
  start_controller
}
jobs_named_once() { squeue -h -t all -n once -o %i | sort; }

@test "a site that writes its own comments: the job is known by where its log goes" {
  rewrite_comments
  before=$(jobs_named_once)
  sbatch --job-name=once --output=/dev/null --wrap=true
  # shellcheck disable=SC2016
  in_sbatch '$real "$@" >answer' 'echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2' 'exit 1'
  "$DDPSUBMIT" run run.yaml
  use_last_run
  [ "$(job_id)" = "$(cat answer)" ]
  [ "$(squeue -h -j "$(job_id)" -t all -o %k)" = 'project x' ]
  real_sbatch
  # shellcheck disable=SC2016
  in_sbatch '$real "$@" >answer' 'kill -9 $ddpsubmit'
  run_killed run run.yaml 'slurm.options.hold=""' # so that no head tells of it
  "$DDPSUBMIT" status last
  [ "$(job_id)" = "$(cat answer)" ]
  scontrol release "$(job_id)"
  "$DDPSUBMIT" wait last
  real_sbatch
  # The earlier job of the same folder is not taken for the one that was never sent.
  # shellcheck disable=SC2016
  in_sbatch 'kill -9 $ddpsubmit'
  run_killed rerun last
  real_sbatch
  "$DDPSUBMIT" status last | grep 'failed .*nothing was submitted'
  lose_run_and_rerun
  "$DDPSUBMIT" status last
  [ "$(job_id)" = "$(cat answer)" ]
  scontrol release "$(job_id)"
  "$DDPSUBMIT" wait last
  [ "$(comm -13 <(echo "$before") <(jobs_named_once) | wc -l)" -eq 5 ]
  leave_comments
}

# A plugin of each sbatch, when the controller has taken its job.
fail_after_queueing() {
  cp /etc/slurm/slurm.conf slurm.conf
  cat >/run/rig/etc/cli_filter.lua <<'EOF'
function slurm_cli_setup_defaults() return slurm.SUCCESS end
function slurm_cli_pre_submit() return slurm.SUCCESS end
function slurm_cli_post_submit()
  io.stderr:write("sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified\n")
  os.exit(1)
end
return slurm
EOF
  echo CliFilterPlugins=lua >>/run/rig/etc/slurm.conf
}

@test "an sbatch that queues the job and says that it was refused: the job is found, and a rerun makes no second one" {
  fail_after_queueing
  "$DDPSUBMIT" run run.yaml 'slurm.options.hold=""' 2>said && code=0 || code=$?
  cp slurm.conf /run/rig/etc/slurm.conf
  [ "$code" -eq 0 ]
  grep -F 'sbatch failed, but queued the job' said
  use_last_run
  run "$DDPSUBMIT" rerun last
  [ "$status" -eq 8 ]
  has_one_job
  "$DDPSUBMIT" cancel last
}

@test "a full queue is told while sbatch waits for it" {
  stop_controller
  cp /etc/slurm/slurm.conf slurm.conf
  printf '%s\n' MaxJobCount=3 MinJobAge=2 >>/run/rig/etc/slurm.conf
  start_controller
  full() { sbatch --test-only --wrap=true 2>&1 | grep -qE 'temporarily unavailable|MaxJobCount'; } # by version
  # Jobs of earlier tests are forgotten in a while, and then take no place.
  # shellcheck disable=SC2016 # asked again each time
  eventually eval '[ -z "$(squeue -h -t all)" ]'
  first=$(sbatch --parsable --hold --wrap=true)
  until full; do sbatch --hold --wrap=true; done # two or three, by version
  "$DDPSUBMIT" run run.yaml >id 2>said 3>&- &
  submitter=$!
  eventually grep -F 'the queue of the cluster is full: sbatch keeps trying' said
  grep -F 'warning: the queue of the cluster is full: it may refuse the run' said
  scancel "$first"
  wait "$submitter"
  use_last_run
  "$DDPSUBMIT" wait last
  scancel -u "$(id -un)"
  stop_controller
  cp slurm.conf /run/rig/etc/slurm.conf
  start_controller
}
