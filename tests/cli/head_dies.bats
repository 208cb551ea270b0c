# Head is killed before each of the writes that it makes, one after the other: nothing of the run is left, what is said is true, and
# a rerun goes on. Each attempt has one end in the ledger.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run

setup() {
  isolate_user
  # The first attempt fails.
  write_config 2 'exec test "$DDPSUBMIT_ATTEMPT" -gt 0'
}

# use_dying_head LIKE: ddpsubmit itself passes no LD_PRELOAD on.
use_dying_head() {
  mkdir bin
  cp "$DDPSUBMIT" bin/
  printf '#!/bin/sh\nexport DIE_AT="$(cat %q)" DIE_LIKE=%s DIED=%q\nexec env LD_PRELOAD=%q %q "$@"\n' \
    "$PWD/die_at" "$1" "$PWD/died" "$DYING_HEAD" "${DDPSUBMIT%/*}/ddp-agent" >bin/ddp-agent
  chmod +x bin/ddp-agent
}

# run_until_call NUMBER: fails if head has lived on.
run_until_call() {
  rm -rf runs died
  echo "$1" >die_at
  bin/ddpsubmit run run.yaml fault_tolerance.max_restarts=1 &>said || true
  use_only_run
  [[ -e died ]]
}

# What head itself has said of the end; ddpsubmit knows no exit code.
last_word_of_head() { event run_ended 'select(.exit_code != null) | .state'; }

goes_on() {
  eventually no_process_of_run
  if [[ -n $(last_word_of_head) ]]; then
    [ "$(last_word_of_head)" = succeeded ]
  else
    [ "$(state_of_run)" = failed ]
    "$DDPSUBMIT" rerun "${run_folder##*/}" --follow &>went_on
  fi
  [ "$(state_of_run)" = succeeded ]
  each_attempt_has_one_end
}

each_attempt_has_one_end() {
  local attempts
  attempts=$(find "$run_folder/attempts" -mindepth 1 -maxdepth 1 -name '[0-9]*' | wc -l)
  [ "$(event attempt_ended .attempt | sort -n | paste -sd ' ')" = "$(seq -s ' ' 0 $((attempts - 1)))" ]
}

# dies_everywhere LIKE
dies_everywhere() {
  local call
  use_dying_head "$1"
  for ((call = 1; ; call++)); do
    run_until_call "$call" || break
    goes_on || { echo "head has died before call $call"; cat said went_on "$run_folder"/ledger/*; return 1; }
  done
  ((call > 20))
  [ "$(state_of_run)" = succeeded ]
}

@test "head is killed before each of its writes" { dies_everywhere process; }

@test "the machine of head crashes before each of its writes" { dies_everywhere machine; }
