# What logs shows of the two streams of a rank, and in which order.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks
# shellcheck disable=SC2154 # run_folder is set by start_detached

load ../support/local_run
load ../support/terminal

setup() { isolate_user; }

# take_turns: the rank of run.yaml prints by turns to stderr and stdout, each line once the one before it was seen in `followed`.
take_turns() {
  local turn
  for turn in 1 2 3 4 5 6; do
    eventually grep -qs "^\(\[err\] \)\?line $turn$" followed
    touch "seen.$turn"
  done
}
wait_for_turn='until [ -e "seen.$turn" ]; do sleep 0.05; done'
turns="for turn in 1 2 3 4 5 6; do if [ \$((turn % 2)) = 1 ]; then echo \"line \$turn\" >&2; else echo \"line \$turn\"; fi; $wait_for_turn; done"
all_turns=$'[err] line 1\nline 2\n[err] line 3\nline 4\n[err] line 5\nline 6'

@test "both streams in the order in which they were printed, while the rank prints and afterwards" {
  write_config 1 "$turns"
  start_detached
  "$DDPSUBMIT" logs last --follow >followed 3>&- &
  follower=$!
  take_turns
  wait "$follower"
  [ "$(<followed)" = "$all_turns" ]
  [ "$("$DDPSUBMIT" logs last)" = "$all_turns" ]
  [ "$("$DDPSUBMIT" logs last --follow)" = "$all_turns" ]
  [ "$("$DDPSUBMIT" logs last --json | jq -r '"\(.stream) \(.text)"' | head -n 3)" = $'stderr line 1\nstdout line 2\nstderr line 3' ]
  [ "$("$DDPSUBMIT" logs last --tail 3)" = $'line 4\n[err] line 5\nline 6' ]
  [ "$("$DDPSUBMIT" logs last --stdout)" = $'line 2\nline 4\nline 6' ]
  [ "$("$DDPSUBMIT" logs last --stderr)" = $'line 1\nline 3\nline 5' ]
  [ "$(wc -l <"$run_folder/logs/attempt-0/rank-0.order")" -eq 3 ]
  rm "$run_folder/logs/attempt-0/rank-0.order"
  [ "$("$DDPSUBMIT" logs last)" = $'line 2\nline 4\nline 6\n[err] line 1\n[err] line 3\n[err] line 5' ]
}

@test "run marks stderr where it goes where stdout goes, and leaves each stream as it is where not" {
  write_config 1 "$turns"
  "$DDPSUBMIT" run run.yaml >followed 2>&1 3>&- &
  take_turns
  wait $!
  [ "$(grep 'line' followed)" = "$all_turns" ]
  write_config 2 'echo "out $RANK"; echo "err $RANK" >&2'
  "$DDPSUBMIT" run run.yaml >out 2>err
  [ "$(sort out)" = $'[r0] out 0\n[r1] out 1' ]
  [ "$(grep '^\[' err | sort)" = $'[r0] err 0\n[r1] err 1' ]
}

@test "a rank that prints to one stream alone has no file of the order" {
  write_config 2 'for line in 1 2 3; do if [ "$RANK" = 0 ]; then echo "$line"; else echo "$line" >&2; fi; sleep 0.1; done'
  "$DDPSUBMIT" run run.yaml
  use_only_run
  [ -z "$(find "$run_folder" -name '*.order')" ]
  [ "$("$DDPSUBMIT" logs last --rank 1)" = $'[err] 1\n[err] 2\n[err] 3' ]
}

@test "--stdout and --stderr cannot be used together" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml
  run "$DDPSUBMIT" logs last --stdout --stderr
  [ "$status" -eq 2 ]
  [[ $output == *'leave out both to see both streams'* ]]
}

bar="for turn in 10 20 30; do printf '\\rdone: %s%%' \"\$turn\" >&2; $wait_for_turn; done; echo >&2; echo end"

@test "a progress bar: each state on a terminal, the last one elsewhere" {
  write_config 1 "$bar"
  start_detached
  on_terminal 40 "$DDPSUBMIT logs last --follow" >screen 3>&- &
  "$DDPSUBMIT" logs last --follow >piped 3>&- &
  for turn in 10 20 30; do
    has_state() { drawn_on screen | grep -qx "\[err\] done: $turn%"; }
    eventually has_state
    touch "seen.$turn"
  done
  wait
  [ "$(<piped)" = $'[err] done: 30%\nend' ]
  [ "$("$DDPSUBMIT" logs last)" = $'[err] done: 30%\nend' ]
  [ "$(remains_of screen | grep -c 'done: ')" -eq 1 ]
  [ "$("$DDPSUBMIT" logs last --stderr)" = 'done: 30%' ]
}

@test "where the newest attempt has printed nothing, logs names the attempt before" {
  # shellcheck disable=SC2016 # is for the shell of the ranks
  write_config 1 'test "$DDPSUBMIT_ATTEMPT" != 0 || { echo first; exit 3; }'
  "$DDPSUBMIT" run run.yaml fault_tolerance.max_restarts=1
  use_only_run
  run --separate-stderr "$DDPSUBMIT" logs last
  [ "$output" = '' ]
  # shellcheck disable=SC2154 # bats sets stderr
  [ "$stderr" = "attempt 1 has printed nothing; to see attempt 0: ddpsubmit logs ${run_folder##*/} --attempt 0" ]
  run --separate-stderr "$DDPSUBMIT" logs last --rank 0
  [ "$output" = '' ]
  [ "$stderr" = 'rank 0 has printed nothing in attempt 1' ]
  run --separate-stderr "$DDPSUBMIT" logs last --stderr
  [ "$stderr" = '' ]
}
