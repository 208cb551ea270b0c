# A run gives way to another job, and goes on later.
# shellcheck disable=SC2154 # run_folder is set by submit

load ../support/eventually
load ../support/slurm_faults
load ../support/slurm_requeue
load ../support/second_try

setup() { isolate_user; }

# All nodes for a moment.
submit_important() { sbatch -N3 --exclusive -p high -o /dev/null --wrap 'sleep 1'; }

@test "preempted without grace: it checkpoints, and goes on later with the bytes of an undisturbed run" {
  submit_near_limit
  eventually trains
  submit_important
  eventually was_requeued 0
  fast_links
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'preempted succeeded' ]
  [ "$(event requeued '"\(.reason) \(.count)"')" = 'preempted 0' ]
  [ "$(jq -r .code "$run_folder"/exit/attempt-0/rank-*.json | sort -u)" = 75 ]
  resumes_from_where_it_was_requeued
  has_undisturbed_bytes
}

@test "preempted with a grace of 5 s: it leaves at once, and goes on later" {
  submit_near_limit slurm.partition=graceful
  eventually trains
  submit_important
  eventually was_requeued 0
  fast_links
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'preempted succeeded' ]
  [ "$(event requeued '"\(.reason) \(.lost_steps)"')" = 'preempted 0' ]
  resumes_from_where_it_was_requeued
}

send_own_signal_first() {
  cp /etc/slurm/slurm.conf slurm.conf
  echo SlurmctldParameters=preempt_send_user_signal >>/run/rig/etc/slurm.conf
  reconfigure
}
# Newer versions start the controller anew, which does not know its nodes yet then.
reconfigure() {
  scontrol reconfigure
  eventually nodes_are_known
}

teardown() {
  [[ -e slurm.conf ]] || return 0
  cp slurm.conf /run/rig/etc/slurm.conf
  reconfigure
}

@test "preempted with a grace that begins with the stop signal, long before the time limit: it is called preempted, and goes on later" {
  send_own_signal_first
  submit_requeued slurm.partition=graceful
  eventually trains
  submit_important
  eventually was_requeued 0
  fast_links
  "$DDPSUBMIT" wait last
  [ "$(event stop_requested .reason | xargs)" = 'time_limit preempted' ]
  [ "$(outcomes)" = 'preempted succeeded' ]
  [ "$(event requeued '"\(.reason) \(.lost_steps)"')" = 'preempted 0' ]
}

@test "preempted without requeue: the run is preempted" {
  for partition in debug graceful; do
    submit "${endless[@]}" slurm.partition=$partition
    eventually trains
    submit_important
    run "$DDPSUBMIT" wait last
    [ "$status" -eq 1 ]
    [ "$(event run_ended .state)" = preempted ]
    [ "$(exit_records .code | sort -u)" = 75 ]
    eventually job_is_over
  done
}

queue_is_empty() { [[ -z $(squeue -h) ]]; }
is_preempted() { scontrol --oneliner show job "$(job_id)" | grep -qE 'PreemptTime=[0-9]|Restarts=1'; }

@test "a bare scancel after the preemption: it does not come back" {
  for requeue in true false; do
    # The ranks take long enough to leave for the scancel to come before head requeues the job. Such steps are slow: each is told.
    submit_near_limit slurm.partition=graceful train.epochs=1000 'train.model.hidden_dims=[4096, 4096]' train.log.every_steps=1 \
      resources.nodes=1 fault_tolerance.requeue=$requeue
    eventually trains
    submit_important
    eventually is_preempted
    scancel "$(job_id)"
    run "$DDPSUBMIT" wait last
    [ "$status" -eq 1 ]
    eventually job_is_over
    [ "$(state_of_run)" = cancelled ]
    [ ! -e "$run_folder/attempts/1" ]
    eventually queue_is_empty
  done
}

all_have_stepped() { [[ $(jq '.summary.lowest_step' "$run_folder/live.json" 2>/dev/null) -gt 0 ]]; }

@test "protected workers outlive a preemption and the time limit until their rank has stopped" {
  cat >train.py <<'PYTHON'
import multiprocessing, signal, sys, time
import ddpsubmit

ddpsubmit.protect_workers()
if ddpsubmit.job().attempt > 0:
    sys.exit()
worker = multiprocessing.get_context('fork').Process(target=signal.pause, daemon=True)
worker.start()
n = 0
while True:
    time.sleep(0.01)
    n += 1
    ddpsubmit.step(n)
    if ddpsubmit.should_stop():
        worker.join(1)
        if not worker.is_alive():
            raise RuntimeError('the worker is gone')
        ddpsubmit.stop_here()
PYTHON
  cat >run.yaml <<CONFIG
name: workers
launcher: slurm
run_root: runs
resources: {nodes: 2, tasks_per_node: 1, time: 5m}
fault_tolerance: {requeue: true, signal_lead: 3m59s}
environment: {set: {PYTHONPATH: $SOURCE_DIR/python}}
command: [python3, train.py]
CONFIG
  local end
  for end in preempted time_limit; do
    "$DDPSUBMIT" run run.yaml --detach >id
    run_folder=$PWD/runs/$(<id)
    eventually all_have_stepped
    if [ "$end" = preempted ]; then submit_important; else scancel --batch --signal=USR2 "$(job_id)"; fi
    eventually was_requeued 0
    "$DDPSUBMIT" wait last
    [ "$(event requeued .reason)" = "$end" ]
    [ "$(jq -r .code "$run_folder"/exit/attempt-0/rank-*.json | sort -u)" = 75 ]
  done
}
