# Whatever is killed first, soon no process of the run lives on any host. ROUNDS says how often; behind the first ones what it is is random.
# shellcheck disable=SC2016,SC2034,SC2154 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets and reads the names

load ../support/ssh_run
load ../support/second_try

setup() { isolate_user; }
teardown() {
  reconnect node2
  "$DDPSUBMIT" cancel last &>/dev/null || true
}

victims=(rank guard agent keeper head ddpsubmit session network)

# named NODE NAME: the pids of its processes of that name.
named() { ps -o pid=,comm= -p "$(ip netns pids "$1" | paste -sd ,)" | awk -v name="$2" '$2 == name { print $1 }'; }
head_of_run() { event head_started .pid; }
# Not head, which has the same name, nor the other end of the session.
agent_on() { parent_of "$(named "$1" ddp-guard)"; }
session_on() { parent_of "$(pgrep -f 'ddp-agent remote' | shuf -n 1)"; }

pid_of() {
  case $1 in
    rank) pid_of_rank 0 $((RANDOM % 4)) ;;
    guard) named "node$((RANDOM % 2 + 1))" ddp-guard ;;
    agent) agent_on "node$((RANDOM % 2 + 1))" ;;
    keeper) named "node$((RANDOM % 2 + 1))" ddp-keeper ;;
    head) head_of_run ;;
    ddpsubmit) echo "$submitter" ;;
    session) session_on ;;
  esac
}

# start_attached_run: two hosts with two ranks each, that do not end by themselves.
start_attached_run() {
  rm -f up.*
  "$DDPSUBMIT" run run.yaml >output 2>said 3>&- &
  submitter=$!
  eventually ranks_are_up 4 || { cat output said && return 1; }
  run_folder=$(find "$PWD/runs" -mindepth 1 -maxdepth 1)
}

is_over() { has_event run_ended || [[ $(state_of_run) == failed ]]; }

# What the run needs to be over after the loss of $1.
let_it_end() {
  case $1 in
    keeper | ddpsubmit | session) "$DDPSUBMIT" cancel last ;;
    *) ;;
  esac
  eventually is_over
}

# One of random choice.
lose() {
  if [[ $1 == network ]]; then cut_off node2; else kill -9 "$(pid_of "$1")"; fi
}

@test "no process is left, whatever is killed first" {
  local round victim
  shorten pulse lease comeback drain
  command_run 1 true # for the file
  "$DDPSUBMIT" wait "$run_id"
  sed -i 's/nodes: 1/nodes: 2, tasks_per_node: 2/; s/hosts: .node1./hosts: [node1, node2]/; s/"true"/"touch up.$RANK; sleep 1000 \& wait"/' run.yaml
  for ((round = 1; round <= ${ROUNDS:-8}; round++)); do
    rm -rf runs
    victim=${victims[round <= ${#victims[@]} ? round - 1 : RANDOM % ${#victims[@]}]}
    start_attached_run
    lose "$victim"
    let_it_end "$victim"
    # An agent that is cut off looks for head for a while.
    if ! eventually no_process_of_run && ! eventually no_process_of_run; then
      echo "round $round, $victim:"
      processes_of_run | cut -d / -f 3 | sort -u | xargs -I PID ps -o pid=,comm=,args= -p PID
      return 1
    fi
    reconnect node2
    wait "$submitter" || true
    echo "# round $round: $victim: nothing is left" >&3
  done
}
