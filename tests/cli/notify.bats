# The command under `notify` is told what happens to a run.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for other shells; local_run.bash sets the names

load ../support/local_run
load ../support/short_waits

setup() { isolate_user; }
teardown() {
  [[ -z ${server:-} ]] || kill "$server"
  kill_processes_of_run
}

# write_notified RANKS COMMAND NOTIFY [EVENTS]: run.yaml, which tells the shell text NOTIFY.
write_notified() {
  write_config "$1" "$2"
  cat >>run.yaml <<EOF
notify:
  command: [sh, -c, $(jq -n --arg text "$3" '$text')]
  ${4:+events: [$4]}
EOF
}

keep='cat >>told.jsonl'
told() { jq -r "$1" told.jsonl; }
# notified COUNT: head has recorded so many calls.
notified() { [[ $(event notified .notification 2>/dev/null | wc -l) -ge $1 ]]; }
# use_run: the run folder of the only run, once COUNT calls are recorded.
await_calls() {
  use_only_run
  eventually notified "$1"
}

@test "a success is told as ended, once, with all that there is to know" {
  write_notified 2 true "$keep"
  "$DDPSUBMIT" run run.yaml
  await_calls 1
  [ "$(told '"\(.schema) \(.event) \(.state) \(.name) \(.launcher) \(.attempt) \(.exit_code)"')" = \
    'ddpsubmit.notification.v1 ended succeeded job local 0 0' ]
  [ "$(told .run_dir)" = "$run_folder" ]
  [ "$(told .text)" = "${run_folder##*/} succeeded: 2 ranks finished" ]
  [ "$(told .user)" = "$(id -un)" ]
  [ "$(event notified '"\(.attempt) \(.notification) \(.code) \(.message)"')" = '0 ended 0 null' ]
}

@test "a failure is told as failed, with its cause, and of its output with the line that names the cause" {
  write_notified 2 '[ "$RANK" = 0 ] || { echo "key is 1234" >&2; echo "no data" >&2; exit 3; }; sleep 1000' "$keep"
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  await_calls 1
  [ "$(told '"\(.event) \(.state) \(.exit_code) \(.cause.rank) \(.cause.code)"')" = 'failed failed 1 1 3' ]
  [ "$(told .cause.likely_cause)" = 'no data' ]
  [[ $(told .text) == *' failed: rank 1 on '*'. Likely cause: no data' ]]
  [ "$(grep -c 'key is' told.jsonl)" = 0 ]
}

@test "a cancelled run has ended; by default nothing else is told" {
  write_notified 1 'touch up.0; exec sleep 1000' "$keep"
  start_detached
  eventually ranks_are_up 1
  "$DDPSUBMIT" cancel last
  await_calls 1
  [ "$(told '"\(.event) \(.state)"')" = 'ended cancelled' ]
}

@test "restarts and the first step of a training are told" {
  shorten live
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/synthetic_mlp.yaml" "run_root=$PWD/runs" "train.program=$STAND_IN" train.max_steps=100000 train.epochs=null \
    train.checkpoint.every_steps=50 "notify.command=[sh, -c, \"$keep\"]" 'notify.events=[first_step, restarted, ended]' --detach 2>/dev/null
  use_only_run
  eventually has_checkpoint 0
  eventually notified 1
  kill -9 "$(pid_of_rank 0 0)"
  eventually has_checkpoint 1
  "$DDPSUBMIT" cancel last
  await_calls 3
  [ "$(told .event | xargs)" = 'first_step restarted ended' ]
  [ "$(told 'select(.event == "restarted") | "\(.state) \(.attempt) \(.resumes_from > 0) \(.cause.signal)"')" = 'restarting 0 true 9' ]
  [ "$(told 'select(.event == "first_step") | "\(.step > 0) \(.max_steps)"')" = 'true 100000' ]
}

@test "a checkpoint that cannot be written is told" {
  write_notified 1 'jq -nc "{kind: \"checkpoint_failed\", attempt: 0, step: 7, message: \"disk full\"}" >>"$DDPSUBMIT_RUN_DIR/metrics.jsonl"' \
    "$keep" checkpoint_failed
  "$DDPSUBMIT" run run.yaml 2>said
  grep -q "'checkpoint_failed' in notify.events has no effect: only \`train\` reports it" said
  await_calls 1
  [ "$(told '"\(.event) \(.message)"')" = 'checkpoint_failed step 7: disk full' ]
}

@test "a rank that hangs is told" {
  shorten idle live
  write_notified 2 '[ "$RANK" = 0 ] || touch up.1; exec sleep 1000' "$keep" hang_suspected
  start_detached
  await_calls 1
  [ "$(told '"\(.event) \(.state)"')" = 'hang_suspected running' ]
  "$DDPSUBMIT" cancel last
}

@test "a command that fails changes nothing but the ledger, and describe says so" {
  write_notified 1 'exit 5' 'echo "no route to host" >&2; exit 7'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 1 ]
  await_calls 1
  [ "$(event notified '"\(.notification) \(.code) \(.message)"')" = 'failed 7 ended with exit code 7: no route to host' ]
  "$DDPSUBMIT" describe last | grep -F "notify.command for 'failed' ended with exit code 7: no route to host"
  [ "$(event run_ended .exit_code)" = 1 ]
}

has_pids() { [[ -s pids ]]; }
are_gone() {
  local pid
  while read -r pid; do ! kill -0 "$pid" 2>/dev/null || return 1; done <pids
}

@test "a command that hangs is killed with its children, and the run has ended before" {
  shorten notify
  write_notified 1 true 'sleep 1000 & echo $! >>pids; echo $$ >>pids; wait'
  "$DDPSUBMIT" run run.yaml
  use_only_run
  [ "$(event run_ended .state)" = succeeded ]
  await_calls 1
  [[ $(event notified .message) == 'was killed after '* ]]
  [ "$(event notified .signal)" = 9 ]
  eventually are_gone
  eventually no_process_of_run
}

@test "a command that does not exist is found before the start, and later recorded" {
  write_config 1 true
  echo 'notify: {command: [./nothing.sh]}' >>run.yaml
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 10 ]
  [[ $output == *'nothing.sh'*"check the first word of 'notify.command'"* ]]
  run "$DDPSUBMIT" validate run.yaml
  [[ $output == *'nothing.sh'* ]]
  printf '#!/bin/sh\nrm nothing.sh\n' >nothing.sh
  chmod +x nothing.sh
  write_config 1 'rm nothing.sh'
  echo 'notify: {command: [./nothing.sh]}' >>run.yaml
  "$DDPSUBMIT" run run.yaml
  await_calls 1
  [ "$(event notified '"\(.code) \(.message)"')" = "127 cannot start './nothing.sh': No such file or directory" ]
}

@test "an event that does not exist is refused" {
  write_notified 1 true "$keep" finished
  run "$DDPSUBMIT" validate run.yaml
  [ "$status" -eq 3 ]
  [[ $output == *"each item of 'events' must be ended, failed, "*"not 'finished'"* ]]
}

@test "head that is killed tells nothing, and its call does not live on" {
  write_notified 1 'touch up.0; exec sleep 1000' 'echo $$ >>pids; exec sleep 1000' ended,first_step
  start_detached
  eventually ranks_are_up 1
  kill -9 "$(event head_started .pid)"
  eventually no_process_of_run
  [ ! -e pids ]
  write_notified 1 true 'echo $$ >>pids; exec sleep 1000'
  start_detached
  eventually has_pids
  kill -9 "$(event head_started .pid)"
  eventually are_gone
}

@test "a secret reaches the command, and nothing else" {
  export HOOK=s3cret-hook
  write_notified 1 'exit 2' 'echo "$HOOK" >got; ps -eo args >processes; echo "cannot reach $HOOK" >&2; exit 1'
  run "$DDPSUBMIT" run run.yaml 'environment.secrets=[HOOK]'
  await_calls 1
  [ "$(cat got)" = s3cret-hook ]
  [ "$(grep -c s3cret processes)" = 0 ]
  run grep -rl s3cret "$run_folder"
  [ "$status" -eq 1 ]
  [ "$(event notified .message)" = 'ended with exit code 1: cannot reach [HOOK]' ]
}

@test "each point of a sweep tells its own end" {
  write_notified 1 'exit "$X"' "$keep"
  echo 'sweep: {environment.set.X: ["0", "3"]}' >>run.yaml
  run "$DDPSUBMIT" run run.yaml
  both_are_told() { [[ -e told.jsonl && $(wc -l <told.jsonl) -eq 2 ]]; }
  eventually both_are_told
  [ "$(told '"\(.run_id | split("/") | last) \(.event)"' | sort | xargs)" = '0 ended 1 failed' ]
}

@test "a rerun can change it" {
  write_notified 1 'exit 1' 'echo first >>calls'
  run "$DDPSUBMIT" run run.yaml
  await_calls 1
  run "$DDPSUBMIT" rerun last 'notify.command=[sh, -c, "echo second >>calls"]'
  await_calls 2
  [ "$(xargs <calls)" = 'first second' ]
}

serve() {
  export no_proxy=127.0.0.1
  python3 "$SOURCE_DIR/tests/support/http_recorder.py" requests.jsonl port 3>&- &
  server=$!
  eventually test -e port
  url=http://127.0.0.1:$(<port)
}

@test "the examples for Slack and ntfy post what these expect" {
  command -v curl >/dev/null || skip 'curl is not installed'
  serve
  message='rank 1 said "no" \ at 100 % & more'
  jq -nc --arg text "$message" '{event: "failed", text: $text}' >notification
  SLACK_WEBHOOK_URL=$url/services/T0/B0/x sh "$SOURCE_DIR/examples/notify/slack.sh" <notification
  NTFY_URL=$url/my-runs sh "$SOURCE_DIR/examples/notify/ntfy.sh" <notification
  [ "$(jq -r '"\(.path) \(.headers["content-type"])"' requests.jsonl | head -n 1)" = '/services/T0/B0/x application/json' ]
  [ "$(head -n 1 requests.jsonl | jq -r '.body | fromjson | .text')" = "$message" ]
  [ "$(tail -n 1 requests.jsonl | jq -r '"\(.path) \(.headers.title) \(.headers.priority)"')" = '/my-runs ddpsubmit: failed high' ]
  [ "$(tail -n 1 requests.jsonl | jq -r .body)" = "$message" ]
}

@test "an example that cannot reach its server fails" {
  command -v curl >/dev/null || skip 'curl is not installed'
  export no_proxy=127.0.0.1
  echo '{"event": "ended", "text": "x"}' >notification
  run env SLACK_WEBHOOK_URL=http://127.0.0.1:1/x sh "$SOURCE_DIR/examples/notify/slack.sh" <notification
  [ "$status" -ne 0 ]
  run env NTFY_URL=http://127.0.0.1:1/x sh "$SOURCE_DIR/examples/notify/ntfy.sh" <notification
  [ "$status" -ne 0 ]
}

@test "the examples for mail and the desktop call their programs" {
  mkdir bin
  printf '#!/bin/sh\nprintf "%%s\\n" "$@" >args\ncat >mail\n' >bin/mail
  printf '#!/bin/sh\nprintf "%%s\\n" "$@" >shown\n' >bin/notify-send
  chmod +x bin/*
  echo '{"event": "ended", "name": "job", "text": "job-1 succeeded: -x `id`"}' >notification
  PATH=$PWD/bin:$PATH MAIL_TO=me@example.org sh "$SOURCE_DIR/examples/notify/mail.sh" <notification
  [ "$(paste -sd ' ' args)" = '-s job ended me@example.org' ]
  [ "$(head -n 1 mail)" = 'job-1 succeeded: -x `id`' ]
  PATH=$PWD/bin:$PATH sh "$SOURCE_DIR/examples/notify/desktop.sh" <notification
  [ "$(tail -n 1 shown)" = 'job-1 succeeded: -x `id`' ]
}
