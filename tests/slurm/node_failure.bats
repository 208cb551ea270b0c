# A node of a run dies: Slurm starts the job again on others, and what may live on there writes no checkpoint any more.
# shellcheck disable=SC2154 # run_folder is set by submit

load ../support/slurm_lost_node
load ../support/second_try

@test "a node dies: the run goes on without it" {
  submit_requeued
  eventually trains
  lose node2
  eventually was_requeued 0
  fast_links
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'failed succeeded' ]
  [ "$(event requeued .reason)" = node_failed ]
  [ "$(event attempt_started 'select(.attempt == 1) | .hosts | join(",")')" = node1,node3 ]
  resumes_from_where_it_was_requeued
  has_undisturbed_bytes
}

# flaps N: Slurm gives up node2 in attempt N, and has it again before the next attempt begins.
flaps() {
  eventually trains_in "$1"
  slow_links
  lose node2
  eventually notes_loss_in "$1"
  eventually job_is_pending
  return_lost_node
  scontrol update "JobId=$(job_id)" StartTime=now
}
notes_loss_in() { [[ $(event nodes_lost '"\(.attempt) \(.hosts | join(","))"' | tail -n1) == "$1 node2" ]]; }
hosts_of_attempts() { event attempt_started '.hosts | join(",")' | xargs; }

@test "a node is lost twice: the run is kept from it" {
  hold_when_requeued
  PATH=$heads_path submit_requeued "${endless[@]}"
  flaps 0
  flaps 1
  eventually trains_in 2
  [ "$(hosts_of_attempts)" = 'node1,node2 node1,node2 node1,node3' ]
  [ "$(event nodes_excluded '"\(.attempt) \(.hosts[])"')" = '1 node2' ]
  "$DDPSUBMIT" describe last | grep 'lost node2 again; Slurm now excludes node2 from this job'
  "$DDPSUBMIT" cancel last
  eventually no_process_of_run
}

committed_by() { find "$run_folder/checkpoints" -maxdepth 1 -name "step-*-a$1" -printf '%f\n' | sort; }
has_committed() { [[ -n $(committed_by "$1") ]]; }

# claimed_beside PID: is the next attempt claimed? Until it is, the process lives; soon after, its head notices.
claimed_beside() { [[ -s $run_folder/attempts/1/claim.json ]] || { kill -0 "$1" || echo "$1 is gone" >gone; false; }; }

@test "the first node dies, its ranks live on: only the next attempt commits checkpoints" {
  submit_requeued resources.nodes=1 resources.tasks_per_node=4 train.epochs=1000 train.checkpoint.every_steps=20 \
    train.checkpoint.keep=100000
  eventually trains
  rank=$(pid_of_rank 0 0)
  lose "$(event attempt_started .hosts[0])"
  "$DDPSUBMIT" wait last &>waited 3>&- &
  eventually claimed_beside "$rank"
  [ ! -e gone ]
  before=$(committed_by 0)
  eventually trains_in 1
  eventually test -s "$run_folder/exit/attempt-0/rank-0.json"
  eventually has_committed 1
  [ "$(committed_by 0)" = "$before" ]
  [ -z "$(event run_ended .)" ] # the last word is not the old head's
  [ "$(event attempt_ended 'select(.attempt == 0) | .outcome')" = lost ]
  last=$(event attempt_ended 'select(.attempt == 0) | .last_step')
  lost_steps=$(event attempt_ended 'select(.attempt == 0) | .lost_steps')
  resumed=$(sed -n 's/^resumed from step //p' "$run_folder/logs/attempt-1/rank-0.out")
  ((lost_steps == (last > resumed ? last - resumed : 0)))
  "$DDPSUBMIT" describe last | grep -E '^attempt 0: lost'
  "$DDPSUBMIT" cancel last
  eventually no_process_of_run
}
