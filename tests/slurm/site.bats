# What a site needs to pass to sbatch and srun: options of srun, those of a plug-in too, a comment, a dependency, a link to the log.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

bats_require_minimum_version 1.5.0
load ../support/eventually
load ../support/slurm_requeue
load ../support/second_try

setup() { isolate_user; }
teardown() { rm -f /etc/slurm/plugstack.conf; }

# What rank 0 has printed in an attempt.
printed() { cat "$run_folder/logs/attempt-$1/rank-0.out"; }
has_printed() { [[ -s $run_folder/logs/attempt-$1/rank-0.out ]]; }

@test "an option of srun is there in the first step, and in that of a restart in the job" {
  submit_command 'echo "bind $SLURM_CPU_BIND"; test "$RANK" != 0 || test -e failed || { touch failed; exit 1; }' \
    'slurm.srun_options={cpu-bind: none, overlap: ""}' fault_tolerance.max_restarts=1
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'failed succeeded' ]
  [ "$(printed 0)" = 'bind quiet,none' ]
  [ "$(printed 1)" = 'bind quiet,none' ]
  [ "$(jq -c .start_options "$run_folder/plan.json")" = '["--cpu-bind=none","--overlap"]' ]
  grep -x '# srun gets --cpu-bind=none' "$run_folder/script.sbatch"
}

@test "an option that a plug-in of the site registers, as pyxis does, reaches the ranks" {
  version=$(sbatch --version)
  IFS=.- read -r major minor micro _ <<<"${version##* }"
  cc -shared -fPIC -DSLURM_VERSION_NUMBER="$(printf '0x%02x%02x%02x' "$((10#$major))" "$((10#$minor))" "$((10#$micro))")" \
    -o container_image.so "$SOURCE_DIR/tests/slurm/spank_option.c"
  echo "required $PWD/container_image.so" >/etc/slurm/plugstack.conf
  submit_command 'echo "$RANK of $WORLD_SIZE in $CONTAINER_IMAGE"' 'slurm.srun_options.container-image=my image.sqsh'
  "$DDPSUBMIT" wait last
  for rank in 0 1 2 3; do [ "$(cat "$run_folder/logs/attempt-0/rank-$rank.out")" = "$rank of 4 in my image.sqsh" ]; done
}

@test "an option that srun does not know: the run fails, with srun's words" {
  submit_command true slurm.srun_options.container-image=a.sqsh 2>said
  grep -F "warning: srun does not take slurm.srun_options on this host: unrecognized option '--container-image=a.sqsh'" said
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
  [[ $output == *'srun ended with exit code '*"srun: unrecognized option '--container-image=a.sqsh'"* ]]
  submit_command true slurm.srun_options.cpu-bind=corez
  run "$DDPSUBMIT" wait last
  [[ $output == *'srun: error: unrecognized --cpu-bind argument "corez"'* ]]
  "$DDPSUBMIT" describe last | grep '^likely cause .*--cpu-bind'
}

@test "a shell of salloc: a new job may wait for the nodes that the shell holds" {
  cat >run.yaml <<'CONFIG'
launcher: slurm
run_root: runs
command: ["true"]
CONFIG
  salloc -Q -N1 "$DDPSUBMIT" run run.yaml 2>said
  grep -E 'this shell holds the nodes of Slurm job [0-9]+: the run is a new job, and may wait for them' said
  "$DDPSUBMIT" wait last
  "$DDPSUBMIT" run run.yaml 2>said
  run ! grep 'this shell holds' said
}

@test "a job may have a name that no run can have; status and the link to the log know it" {
  submit_command 'echo up; until test -e go; do sleep 0.1; done' 'slurm.options={job-name: "größe:1 x"}' 'slurm.output=links/%x.out'
  eventually has_printed 0
  [ "$(squeue -h -o %j)" = 'größe:1 x' ]
  [ "$(readlink 'links/größe:1 x.out')" = "$run_folder/logs/attempt-0/rank-0.out" ]
  scontrol update "job=$(job_id)" comment=mine # as some sites write there
  "$DDPSUBMIT" status last | grep running
  touch go
  "$DDPSUBMIT" wait last
  run "$DDPSUBMIT" validate "$SOURCE_DIR/examples/who_am_i.yaml" launcher=slurm 'slurm.options={job-name: "a|b"}'
  [[ $status -eq 3 && $output == *"cannot hold '|'"* ]]
}

@test "an interface that the nodes do not have: no rank is started, and both the run and its description say why" {
  submit_command 'touch started' rendezvous.interface=ib9
  run "$DDPSUBMIT" wait last
  [[ $output == *"this host has no interface 'ib9'"* ]]
  "$DDPSUBMIT" describe last | grep "^reason .*interface 'ib9'"
  [ ! -e started ]
}

@test "with a dependency it waits, is requeued, and does not wait again; the link is that of the newest attempt" {
  first=$(sbatch --hold --parsable --output=/dev/null --wrap true)
  submit_command 'echo up; until test -e go; do sleep 0.1; done' slurm.dependency="afterok:$first" fault_tolerance.requeue=true \
    'slurm.output=links/%x-%j.out' slurm.srun_options.cpu-bind=none
  "$DDPSUBMIT" status last | grep 'queued .*it waits for the jobs that it depends on (Slurm: Dependency)'
  [ ! -e links ]
  scontrol release "$first"
  "$DDPSUBMIT" wait last &>waited 3>&- &
  waiter=$!
  eventually has_printed 0
  link=$PWD/links/fashion-mlp-$(job_id).out
  [ "$(readlink "$link")" = "$run_folder/logs/attempt-0/rank-0.out" ]
  [ "$(readlink "${link%.out}.err")" = "$run_folder/logs/attempt-0/rank-0.err" ]
  scontrol requeue "$(job_id)"
  eventually has_printed 1
  [ "$(readlink "$link")" = "$run_folder/logs/attempt-1/rank-0.out" ]
  touch go
  wait "$waiter"
  [ "$(cat "$link")" = up ]
  [ "$(event head_started .restart_count | xargs)" = '0 1' ]
}

never_starts() { "$DDPSUBMIT" status last | grep 'queued .*it will never start; .*(Slurm: DependencyNeverSatisfied)'; }

@test "a dependency that cannot be fulfilled any more is told" {
  first=$(sbatch --hold --parsable --output=/dev/null --wrap 'exit 1')
  submit_command true slurm.dependency="afterok:$first"
  scontrol release "$first"
  eventually never_starts
  "$DDPSUBMIT" cancel last
}

@test "a comment with quotes and JSON is there as it was written, and the run is known by the token before it" {
  comment='{"team": "it'\''s \"us\"", "cost": [1, 2], "n": "a|b JobState=FAILED"}'
  submit_command 'sleep 1000' "slurm.comment=$(jq -Rn --arg text "$comment" '$text')"
  [ "$(squeue -h -j "$(job_id)" -o %k)" = "ddpsubmit:$(event submit_intent .token) $comment" ]
  [ "$(squeue -h -j "$(job_id)" -o %k | cut -d ' ' -f 2- | jq -r .team)" = "it's \"us\"" ]
  eventually ranks_have_started
  [ "$(state_of_run)" = running ]
  "$DDPSUBMIT" cancel last
  eventually job_is_over
  [ "$(state_of_run)" = cancelled ]
}

@test "a file at the place of the link is left alone, and the run goes on" {
  echo mine >taken
  submit_command 'echo up' slurm.output=taken
  "$DDPSUBMIT" wait last
  [ "$(cat taken)" = mine ]
  grep -F 'there is a file of that name' "$run_folder/logs/slurm-$(job_id).out"
}

@test "an exclusive job shares its node with nobody" {
  submit_command 'until test -e go; do sleep 0.1; done' slurm.exclusive=nodes
  eventually ranks_have_started
  [ "$(squeue -h -j "$(job_id)" -O oversubscribe:10 | xargs)" = NO ]
  touch go
  "$DDPSUBMIT" wait last
}
