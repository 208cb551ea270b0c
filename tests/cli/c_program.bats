# The example of a program in C, with the header that is installed.

load ../support/local_run
load ../support/short_waits

setup() {
  isolate_user
  shorten live
  cp "$SOURCE_DIR"/examples/c_program/* .
}

teardown() { kill_processes_of_run; }

compiles_as() { "$@" -Wall -Wextra -Wpedantic -Werror -O2 -I "$SOURCE_DIR/jobenv/include"; }

# all_have_stepped ATTEMPT: both of its ranks.
all_have_stepped() {
  [[ $(jq "select(.attempt == $1) | [.ranks[].step | select(. != null)] | length" "$run_folder/live.json" 2>/dev/null) == 2 ]]
}

@test "the header is C of 2011, and C++" {
  compiles_as cc -std=gnu11 steps.c -o steps
  compiles_as c++ -std=c++17 -x c++ steps.c -o steps.cpp.out
}

@test "its ranks stop after the same step, and resume there" {
  compiles_as cc -std=gnu11 steps.c -o steps
  start_detached
  eventually all_have_stepped 0
  "$DDPSUBMIT" cancel last
  step=$(jq -r .last_step "$run_folder"/exit/attempt-0/rank-*.json | sort -u)
  [ "$(<"$run_folder/output/step")" = "$step" ]
  [ "$(jq -r .code "$run_folder"/exit/attempt-0/rank-*.json | sort -u)" = 75 ]
  "$DDPSUBMIT" rerun last --detach
  eventually all_have_stepped 1
  [ "$(jq .summary.lowest_step "$run_folder/live.json")" -gt "$step" ]
  "$DDPSUBMIT" cancel last
}

@test "without ddpsubmit it runs on as if there were none" {
  sed -i 's/kTotal = 20000/kTotal = 20/' steps.c
  compiles_as cc -std=gnu11 steps.c -o steps
  ./steps
}
