# Sweeps as arrays of a real Slurm, whose MaxArraySize is 5.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/eventually
load ../support/slurm_requeue
load ../support/second_try

setup() { isolate_user; }

# start_sweep COUNT COMMAND [KEY=VALUE...]: points 0 to COUNT-1 with their number in X; sets run_id and run_folder.
start_sweep() {
  jq -n --arg text "$2" --argjson count "$1" '{name: "search", launcher: "slurm", run_root: "runs",
    resources: {time: "00:10:00"}, fault_tolerance: {grace_period: "5s"}, command: ["sh", "-c", $text],
    sweep: {"environment.set.X": [range($count)]}}' >run.yaml
  run_id=$("$DDPSUBMIT" run run.yaml "${@:3}") || return
  # shellcheck disable=SC2034 # for the functions of run_records
  run_folder=$PWD/runs/$run_id
}

sweep_json() { "$DDPSUBMIT" status last --json | jq -r "$1"; }
point_states() { sweep_json '[.runs[0].sweep.points[].state] | join(" ")'; }
# How many lines of the file `marks` are in force at most, counted from its starts and ends.
most_at_once() { awk '$1 == "start" { n++; if (n > most) most = n } $1 == "end" { n-- } END { print most }' marks; }

@test "12 points in 3 arrays, never more than two at once" {
  start_sweep 12 'echo start >>marks; sleep 0.2; echo end >>marks; echo "X is $X"' sweep_options.at_once=2
  "$DDPSUBMIT" wait last >table
  [ "$(event submit_intent '"\(.first_point) \(.tasks)"' | paste -sd ,)" = '0 0-4,5 0-4,10 0-1' ]
  [ "$(grep -c start marks)" = 12 ]
  [ "$(most_at_once)" = 2 ]
  [ "$(grep -cE '^[0-9]+ +[0-9]+ +succeeded ' table)" = 12 ]
  for point in 0 4 5 11; do [ "$("$DDPSUBMIT" logs "last/$point")" = "X is $point" ]; done
  array=$(event submitted .job_id | tail -n 1)
  [ "$("$DDPSUBMIT" status "${array}_1" --json | jq -r '.runs[0].run_id')" = "$run_id/11" ]
  [ "$("$DDPSUBMIT" status "$array" --json | jq -r '.runs[0].run_id')" = "$run_id" ]
}

all_wait_for_it() { [[ $(squeue -h -n search -o %T:%r | sort -u) == PENDING:Dependency ]]; }

@test "a sweep with a dependency: all arrays wait for it, and each point has a link to its log" {
  first=$(sbatch --hold --parsable --output=/dev/null --wrap true)
  start_sweep 7 'echo "X is $X"' sweep_options.at_once=2 slurm.dependency="afterok:$first" 'slurm.output=%x-%A_%a.out'
  eventually all_wait_for_it
  scontrol release "$first"
  "$DDPSUBMIT" wait last
  read -r one two < <(event submitted .job_id | xargs)
  for task in 0 1 2 3 4; do [ "$(cat "search-${one}_$task.out")" = "X is $task" ]; done
  for task in 0 1; do [ "$(cat "search-${two}_$task.out")" = "X is $((task + 5))" ]; done
  [ "$(compgen -G 'search-*.out' | wc -l)" = 7 ]
}

@test "cancel of one point leaves the others; rerun starts what did not succeed" {
  start_sweep 6 'touch "up.$X"; until test -e "go.$X"; do sleep 0.1; done'
  eventually test -e up.1
  "$DDPSUBMIT" cancel last/1
  touch go.0 go.2 go.3 go.4 go.5
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [ "$(point_states)" = 'succeeded cancelled succeeded succeeded succeeded succeeded' ]
  touch go.1
  "$DDPSUBMIT" rerun last --follow
  [ "$(event submit_intent '"\(.first_point) \(.tasks)"' | tail -n 1)" = '1 0' ]
  [ "$(point_states)" = 'succeeded succeeded succeeded succeeded succeeded succeeded' ]
}

@test "cancel of the whole: what runs, what waits, and the arrays that wait for it" {
  start_sweep 8 'touch "up.$X"; exec sleep 1000' sweep_options.at_once=1
  eventually test -e up.0
  "$DDPSUBMIT" cancel last
  [ "$(sweep_json '.runs[0].state')" = cancelled ]
  [ "$(sweep_json '.runs[0].sweep.counts.cancelled')" = 8 ]
  eventually test -z "$(squeue -h -t PENDING,RUNNING -o %i)"
  [ ! -e up.1 ]
  [ ! -e up.5 ]
}

@test "a submission that ends between its arrays: rerun submits the rest, and no point twice" {
  mkdir bin
  cat >bin/sbatch <<SBATCH
#!/bin/bash
if [[ " \$* " == *" --parsable "* && -e once ]]; then kill -9 \$PPID; exit 1; fi
[[ " \$* " != *" --parsable "* ]] || touch once
exec $(command -v sbatch) "\$@"
SBATCH
  chmod +x bin/sbatch
  path=$PATH
  PATH=$PWD/bin:$PATH
  run start_sweep 7 'echo "$X" >>ran'
  PATH=$path
  [ "$status" -ne 0 ]
  "$DDPSUBMIT" wait last || true
  "$DDPSUBMIT" rerun last --follow
  [ "$(sort -n ran | paste -sd ' ')" = '0 1 2 3 4 5 6' ]
}

# at_point K COMMAND...: with the point as the run that is looked at.
at_point() { run_folder=$run_folder/points/$1 "${@:2}"; }
# hold_point K: stops its rank as soon as it trains, so that it waits for what is to come.
hold_point() { eventually at_point "$1" trains && kill -STOP "$(at_point "$1" pid_of_rank 0 0)"; }
outcomes_and_restarts() { echo "$(outcomes): $(event head_started .restart_count | xargs)"; }

@test "a point at its time limit and one that is preempted go on where they were; the third is left alone" {
  # Three points that fill a node each.
  run_id=$("$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=slurm resources.tasks_per_node=1 \
    resources.cpus_per_task=4 "${near_limit[@]}" fault_tolerance.requeue=true run_root=runs \
    "train.program=$STAND_IN" train.epochs=2 train.data.batch_size=256 'sweep.train.seed=[1, 2, 3]')
  run_folder=$PWD/runs/$run_id
  hold_point 0
  hold_point 1 # Slurm sends CONT to what it preempts
  array=$(job_id)
  scancel --batch --signal=USR2 "${array}_0"
  sbatch --nodelist="$(at_point 1 event rank_started .host)" --exclusive --partition=high --output=/dev/null --wrap 'sleep 1'
  eventually at_point 0 has_event stop_requested
  kill -CONT "$(at_point 0 pid_of_rank 0 0)"
  "$DDPSUBMIT" wait last
  [ "$(point_states)" = 'succeeded succeeded succeeded' ]
  [ "$(at_point 0 outcomes_and_restarts)" = 'timed_out succeeded: 0 1' ]
  [ "$(at_point 1 outcomes_and_restarts)" = 'preempted succeeded: 0 1' ]
  [ "$(at_point 2 outcomes_and_restarts)" = 'succeeded: 0' ]
  [ "$(at_point 0 event head_started .job_id | uniq)" = "${array}_0" ]
  at_point 0 resumes_from_where_it_was_requeued
  at_point 1 resumes_from_where_it_was_requeued
}
