# What is said of runs whose jobs only sacct still knows, and which have no word of head: needs MinJobAge=2, and accounts.

load ../support/eventually
load ../support/slurm_run
load ../support/second_try

# All tests are about the same runs.
use_folder_of_file() {
  # shellcheck disable=SC2034 # for the functions of run_records and slurm_run
  BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
  isolate_user
}

# All of them at once, so that Slurm forgets them at once.
setup_file() {
  use_folder_of_file
  submit_as refused 'slurm.setup=["exit 3"]'
  submit_as cancelled 'slurm.options={hold: ""}'
  scancel "$(job_id)"
  # shellcheck disable=SC2016 # for the job's shell
  submit_as sweep 'slurm.setup=["test $SLURM_ARRAY_TASK_ID = 0 || sleep 600", "exit 3"]' 'sweep.train.seed=[1, 2]'
  eventually squeue_shows _1 RUNNING
  scancel "$(job_id)_1"
  submit_as requeued "slurm.setup=['test -e $PWD/again && exit 3', 'sleep 600']" fault_tolerance.requeue=true resources.time=00:10:00
  eventually squeue_shows '' RUNNING
  : >again
  scontrol requeue "$(job_id)"
  eventually squeue_shows '' PENDING
  eventually scontrol update "JobId=$(job_id)" StartTime=now+2
  eventually controller_has_forgotten_all
}

submit_as() {
  submit_short "name=$1" "${@:2}"
  echo "$run_folder" >"folder.$1"
}
squeue_shows() { [[ $(squeue -h -j "$(job_id)$1" -o %T) == "$2" ]]; }
controller_has_forgotten_all() { [[ -z $(squeue -h -t all) ]]; }

setup() { use_folder_of_file; }

# run_is NAME STATE MESSAGE: what status says, and what it has written down.
run_is() {
  run_folder=$(cat "folder.$1")
  "$DDPSUBMIT" status "${run_folder##*/runs/}" --json >said
  [ "$(jq -r '.runs[0] | "\(.state): \(.message)"' said)" = "$2: $3" ]
}
told_by_sacct() { [ "$(event run_ended '"\(.state) \(.source)"')" = "$1 sacct" ]; }
in_setup='Slurm says FAILED, before ddp-agent started: a line of slurm.setup or environment.setup failed; see logs/slurm-*.out'

@test "sacct keeps no comments here, and its words are told with who was cancelled by whom" {
  query() { sacct -X -n -P --starttime=now-10minutes "--jobs=$(run_folder=$(cat folder.cancelled) job_id)" "--format=$1"; }
  [ "$(query Comment)" = '' ]
  [ "$(query State)" = "CANCELLED by $(id -u)" ]
}

@test "a set-up that failed" {
  run_is refused failed "$in_setup"
  told_by_sacct failed
}

@test "a job that was cancelled while it waited" {
  run_is cancelled cancelled 'cancelled before it started'
  told_by_sacct cancelled
}

@test "of a job that was requeued the newest attempt counts" {
  run_is requeued failed "$in_setup"
  told_by_sacct failed
  job=$(job_id)
  [ "$(sacct -X -n -P --duplicates --starttime=now-10minutes "--jobs=$job" --format=State | xargs)" = 'REQUEUED FAILED' ]
}

@test "each point of a sweep by its own task" {
  run_is sweep failed '1 failed, 1 cancelled'
  sweep=$run_folder
  run_folder=$sweep/points/0
  told_by_sacct failed
  run_folder=$sweep/points/1
  told_by_sacct cancelled
}
