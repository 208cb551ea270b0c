# What real shells propose for the words of ddpsubmit.
# shellcheck disable=SC2016,SC2086,SC2116 # blanks part what is listed; what is in single quotes is a name

load ../support/local_run
load ../support/shell_completion

setup() {
  PATH=${DDPSUBMIT%/*}:$PATH
  export HOME=$BATS_TEST_TMPDIR
  cd "$BATS_TEST_TMPDIR" || return
  isolate_user
  printf 'train: {optimizer: {name: sgd}}\n' >train.yaml
}

# For each shell the same lines: the completions that it proposes, sorted.
expect_in_all_shells() {
  local shell proposed
  for shell in bash zsh fish; do
    has_shell "$shell" || continue
    proposed=$(completions_in "$shell" "$1")
    echo "$shell: '$1' gives" $proposed
    [ "$(echo $proposed)" = "$2" ]
  done
}

@test "verbs, options and the values of options" {
  expect_in_all_shells 'ddpsubmit st' 'stack status'
  expect_in_all_shells 'ddpsubmit logs last --std' '--stderr --stdout'
  expect_in_all_shells 'ddpsubmit list --state queued,r' 'queued,restarting queued,running'
  expect_in_all_shells 'ddpsubmit completion z' 'zsh'
  expect_in_all_shells 'ddpsubmit checkpoint ver' 'verify'
}

@test "configuration files and folders" {
  mkdir jobs
  touch job.yaml job.py
  expect_in_all_shells 'ddpsubmit run jo' 'job.yaml jobs/'
}

@test "keys, and their values behind the equals sign" {
  expect_in_all_shells 'ddpsubmit run train.yaml train.opt' 'train.optimizer.'
  expect_in_all_shells 'ddpsubmit run train.yaml train.optimizer.mom' 'train.optimizer.momentum='
  expect_in_all_shells 'ddpsubmit run train.yaml fault_tolerance.signal=US' 'fault_tolerance.signal=USR1 fault_tolerance.signal=USR2'
  expect_in_all_shells 'ddpsubmit run train.yaml environment.inherit=' 'environment.inherit=false environment.inherit=true'
}

@test "presets" {
  mkdir -p config/ddpsubmit/site
  touch config/ddpsubmit/site/ours.yaml
  export XDG_CONFIG_HOME=$PWD/config
  expect_in_all_shells 'ddpsubmit run train.yaml +include=si' '+include=site/ours.yaml'
}

@test "runs" {
  write_config 1 true
  "$DDPSUBMIT" run run.yaml name=mnist
  expect_in_all_shells 'ddpsubmit status mni' "mnist $("$DDPSUBMIT" list --json | jq -r '.runs[0].run_id')"
  expect_in_all_shells 'ddpsubmit status la' last
}

@test "cancel: runs that have not ended" {
  write_config 1 'while [ ! -e go ]; do sleep 0.1; done'
  "$DDPSUBMIT" run run.yaml name=ended command='["true"]'
  "$DDPSUBMIT" run run.yaml name=open --detach
  expect_in_all_shells 'ddpsubmit cancel ' "last open $("$DDPSUBMIT" list --json --name open | jq -r '.runs[0].run_id')"
  expect_in_all_shells 'ddpsubmit cancel en' ''
  "$DDPSUBMIT" cancel open
  expect_in_all_shells 'ddpsubmit cancel op' ''
}

@test "ranks of the run that the line names, and names of runs" {
  write_config 2 true
  "$DDPSUBMIT" run run.yaml name=mnist
  expect_in_all_shells 'ddpsubmit logs last --rank ' '0 1'
  expect_in_all_shells 'ddpsubmit list --name mn' 'mnist'
}

@test "keys of a sweep, and the long name of an option" {
  expect_in_all_shells 'ddpsubmit run train.yaml sweep.train.se' 'sweep.train.seed='
  expect_in_all_shells 'ddpsubmit export last --o' '--output'
}

@test "partitions, as sinfo names them; nothing where there is none" {
  mkdir bin
  printf '#!/bin/sh\necho long\necho short\n' >bin/sinfo
  chmod +x bin/sinfo
  PATH=$PWD/bin:$PATH expect_in_all_shells 'ddpsubmit run train.yaml slurm.partition=' 'slurm.partition=long slurm.partition=short'
  printf '#!/bin/sh\necho broken >&2; exit 1\n' >bin/sinfo
  PATH=$PWD/bin:$PATH run "$DDPSUBMIT" __complete -- run train.yaml slurm.partition=
  [ "$status" -eq 0 ] && [ -z "$output" ]
}

@test "a word is asked for without errors, whatever stands before it" {
  printf 'train: [broken\n' >broken.yaml
  for line in 'nonsense ' 'run broken.yaml train.' 'run absent.yaml args.' 'run . x=' '--frobnicate ' 'logs last --rank '; do
    echo "$line"
    run "$DDPSUBMIT" __complete -- ${line% *} "${line##* }"
    [ "$status" -eq 0 ]
    [[ $output != *error:* ]]
  done
  HOME='' XDG_STATE_HOME='' run "$DDPSUBMIT" __complete -- status ''
  [ "$status" -eq 0 ] && [[ $output != *error:* ]]
}

@test "bash: TAB on a terminal completes, and only a finished word gets a blank" {
  type_in bash 'ddpsubmit ren\ttrain.yaml train.optimizer.mom\t0.9 fault_tolerance.signal=USR1 environment.inher\tt\t--exp\t' >typed
  cat -v typed
  grep -qF 'ran: render train.yaml train.optimizer.momentum=0.9 fault_tolerance.signal=USR1 environment.inherit=true --explain' typed
}

@test "bash: a key behind an open quote goes on" {
  type_in bash 'ddpsubmit render train.yaml "fault_tolerance.sign\t=USR1" "train.optimizer.mom\t0.9"' >typed
  cat -v typed
  grep -qF 'ran: render train.yaml fault_tolerance.signal=USR1 train.optimizer.momentum=0.9' typed
}

@test "bash: where TAB goes through the candidates, each of them is one" {
  local line='ddpsubmit render train.yaml "train.optimizer.mom'
  run completions_in bash "$line"
  [ "$output" = $'train.optimizer.momentum=\ntrain.optimizer.momentum=...' ]
  COMP_TYPE=37 run completions_in bash "$line" # of menu-complete
  [ "$output" = 'train.optimizer.momentum=' ]
}

@test "a file of the home folder with a blank in its name, and one that looks like a command" {
  touch 'my file.yaml' 'odd$(touch pwned).yaml'
  for shell in bash zsh; do
    has_shell "$shell" || continue
    type_in "$shell" 'ddpsubmit validate ~/my\\ fi\t' >typed
    cat -v typed
    grep -qF "ran: validate $HOME/my file.yaml" typed
    type_in "$shell" 'ddpsubmit validate ~/od\t' >typed
    cat -v typed
    grep -qF "ran: validate $HOME/odd\$(touch pwned).yaml" typed
  done
  [ ! -e pwned ]
}

@test "zsh: TAB on a terminal completes, and only a finished word gets a blank" {
  has_shell zsh || skip 'zsh is needed'
  type_in zsh 'ddpsubmit ren\ttrain.yaml train.optimizer.mom\t0.9 environment.inher\tt\t--exp\t' >typed
  cat -v typed
  grep -qF 'ran: render train.yaml train.optimizer.momentum=0.9 environment.inherit=true --explain' typed
}

@test "a shell that there is no script for: exit 2, and those there are" {
  run "$DDPSUBMIT" completion tcsh
  [ "$status" -eq 2 ]
  [[ $output == *"the shells are bash, zsh and fish"* ]]
}
