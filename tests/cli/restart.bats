# What fails starts again in the same run, and ends as if nothing had been.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run
load ../support/restarts

setup() { isolate_user; }

@test "a training whose ranks are killed twice ends with the bytes of an undisturbed one" {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  run_id=$(train_here "run_root=$PWD/runs" --detach)
  run_folder=$PWD/runs/$run_id
  eventually has_checkpoint 0
  kill_and_time 0 "$(pid_of_rank 0 2)"
  [ "$(recovery '.failures == 1 and .attempts[0].restart_seconds > 0 and .effective_training_time_ratio > 0')" = true ]
  kill_and_time 1 "$(pid_of_rank 1 0)"
  "$DDPSUBMIT" wait "$run_id" &>ended
  [ "$(event restarting '"\(.attempt) \(.next_attempt) \(.cause.rank) \(.cause.signal)"' | paste -sd ,)" = '0 1 2 9,1 2 0 9' ]
  has_undisturbed_bytes "$run_folder"
  "$DDPSUBMIT" describe "$run_id" >described
  [ "$(grep -c '^attempt [01]: failed' described)" = 2 ]
  grep -A 8 '^attempt 0: ' described | grep -F 'rank 2 on '
  grep -q '^attempt 2: succeeded' described
  "$DDPSUBMIT" status "$run_id" | grep -F ', 2 restarts'
  tells_what_two_kills_cost
  eventually no_process_of_run
}

tells_what_two_kills_cost() {
  grep -E '^  recovery: 3 attempts, 2 failures; .* lost; detected in .*, first step again after .* \(median\)$' ended
  grep -E '^recovery +3 attempts, 2 failures; ' described
  [ "$(grep -cE '^  detected in .*, first step again after ' described)" = 2 ]
  [ "$(recovery '[.attempts[].cause | values | "\(.rank) \(.signal)"] | join(",")')" = '2 9,0 9' ]
  [ "$(recovery '[.attempts[].lost_steps | values] | tojson')" = "$(event restarting .lost_steps | jq -sc .)" ]
  [ "$(recovery .lost_steps)" = "$(event restarting .lost_steps | jq -s add)" ]
  [ "$(recovery '[.attempts[:2][] | .detect_seconds >= 0 and .restart_seconds > 0] | all')" = true ]
  [ "$(recovery '.effective_training_time_ratio > 0 and .effective_training_time_ratio < 1')" = true ]
}

has_restarted() { [[ -n $(event restarting .attempt) ]]; }

@test "with resume: never the next attempt begins anew, and that is said" {
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  train_here "run_root=$PWD/runs" train.checkpoint.resume=never --detach
  use_only_run
  eventually has_checkpoint 0
  kill -9 "$(pid_of_rank 0 2)"
  eventually has_restarted
  [ "$(event restarting '.resumes_from == null and .lost_steps >= 40')" = true ]
  eventually first_step 1
  [ "$(jq 'select(.attempt == 1) | .step' "$run_folder/metrics.jsonl" | head -n 1)" = 1 ]
  "$DDPSUBMIT" cancel last
}

@test "a training that fails at the same step again and again is given up" {
  mkdir bin
  cp "$DDPSUBMIT" "${DDPSUBMIT%/*}/ddp-agent" bin
  printf '#!/bin/sh\n%s\n' 'echo "cannot go on" >&2; exit 1' >bin/ddptrain
  chmod +x bin/ddptrain
  run bin/ddpsubmit run "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" fault_tolerance.max_restarts=1000
  [ "$status" -eq 1 ]
  use_only_run
  [ "$(event attempt_ended .outcome | paste -sd ' ')" = 'failed failed' ]
  [[ $(event run_ended .message) == *'. Not restarted: the last two attempts failed before the first step, with no newer checkpoint'* ]]
  [[ $output == *$'\n  likely cause: cannot go on\n'* ]]
}

@test "a command starts again as often as the file says, and knows it as under torchrun" {
  write_config 2 'echo "attempt $TORCHELASTIC_RESTART_COUNT of $TORCHELASTIC_MAX_RESTARTS in $TORCHELASTIC_RUN_ID"; [ "$TORCHELASTIC_RESTART_COUNT" = 2 ] || { [ "$RANK" = 1 ] && kill -9 $$; exec sleep 1000; }'
  "$DDPSUBMIT" run run.yaml fault_tolerance.max_restarts=2 >output 2>said
  use_only_run
  for attempt in 0 1 2; do grep -Fx "[r1] attempt $attempt of 2 in ${run_folder##*/}" output; done
  [ "$(grep -cE '^attempt [01] failed: rank .* signal 9.*; restarting as attempt [12]$' said)" = 2 ]
  [ "$(recovery '[.failures, .lost_steps, .attempts[0].restart_seconds, .effective_training_time_ratio] | tojson')" = '[2,null,null,null]' ]
}

@test "a command is not started again unless the file says so" {
  write_config 1 'exit 1'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  use_only_run
  [ "$(event restarting .attempt)" = '' ]
}

@test "a command that cannot begin is not started again and again" {
  write_config 2 'echo "no module named torhc" >&2; exit 2'
  run "$DDPSUBMIT" run run.yaml fault_tolerance.max_restarts=1000
  [ "$status" -eq 1 ]
  use_only_run
  [ "$(event attempt_ended .outcome | paste -sd ' ')" = 'failed failed' ]
  [[ $output == *' exit code 2'*'Not restarted: '*'failed in the same way'*"ddpsubmit rerun ${run_folder##*/}"* ]]
  [[ $output == *$'\n  likely cause: no module named torhc\n'* ]]
}

@test "restarts that are used up: how many there were, and the first cause" {
  write_config 2 'exit $((40 + DDPSUBMIT_ATTEMPT))'
  run "$DDPSUBMIT" run run.yaml fault_tolerance.max_restarts=2
  [ "$status" -eq 1 ]
  [[ $output == *' exit code 42'*$'\n  Not restarted: 3 attempts failed (fault_tolerance.max_restarts is 2)\n  First failure: rank '*' exit code 40'* ]]
}

@test "logs --follow goes on into the next attempt, and an attempt can be asked for" {
  write_config 1 'echo "this is attempt $DDPSUBMIT_ATTEMPT"; until [ -e "go.$DDPSUBMIT_ATTEMPT" ]; do sleep 0.05; done; exit $((1 - DDPSUBMIT_ATTEMPT))'
  sed -i 's/grace_period: 2s/grace_period: 2s, max_restarts: 1/' run.yaml
  start_detached
  "$DDPSUBMIT" logs last --follow &>followed 3>&- &
  follower=$!
  eventually grep -q 'this is attempt 0' followed
  touch go.0
  eventually grep -q 'this is attempt 1' followed
  touch go.1
  wait "$follower"
  [ "$(grep -oE 'this is attempt .|restarting as attempt .' followed | paste -sd ,)" = 'this is attempt 0,restarting as attempt 1,this is attempt 1' ]
  [ "$("$DDPSUBMIT" logs last --attempt 0)" = 'this is attempt 0' ]
  [ "$("$DDPSUBMIT" logs last)" = 'this is attempt 1' ]
  [ "$(state_of_run)" = succeeded ]
}

@test "cancel ends a run that would restart for ever" {
  write_config 2 'touch "up.$RANK"; sleep 0.2; kill -9 $$'
  sed -i 's/grace_period: 2s/grace_period: 2s, max_restarts: 1000/' run.yaml
  start_detached
  restarted_twice() { [ "$(event restarting .attempt | wc -l)" -ge 2 ]; }
  eventually restarted_twice
  "$DDPSUBMIT" cancel last
  [ "$(state_of_run)" = cancelled ]
  eventually no_process_of_run
}

@test "status says restarting while the set-up lines run again; then the next attempt runs" {
  write_config 1 'touch "up.$RANK"; [ "$DDPSUBMIT_ATTEMPT" = 1 ] || sleep 1000'
  sed -i 's/grace_period: 2s/grace_period: 2s, max_restarts: 1/' run.yaml
  echo 'environment: {setup: ["[ ! -e up.0 ] || until [ -e go ]; do sleep 0.05; done"]}' >>run.yaml
  start_detached
  eventually ranks_are_up 1
  kill -9 "$(parent_of "$(parent_of "$(pid_of_rank 0 0)")")"
  is_restarting() { [ "$(state_of_run)" = restarting ]; }
  eventually is_restarting
  "$DDPSUBMIT" status last | grep -F 'lost the agent on '
  touch go
  "$DDPSUBMIT" wait last
  [ "$(event attempt_ended .outcome | paste -sd ' ')" = 'failed succeeded' ]
}
