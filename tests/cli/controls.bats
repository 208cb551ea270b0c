# What others have written reaches a terminal without what would control it, and a pipe byte for byte.
# shellcheck disable=SC2016 # what is in single quotes is for the shell of the ranks

load ../support/local_run
load ../support/terminal

setup() { isolate_user; }
teardown() { kill_processes_of_run; }

# An order to the clipboard, a title, a cleared screen, and the alternative one.
attack='\033]52;c;cm0gLXJmIH4K\007\033]0;title\033\\\033[2J\033[?1049h\302\2332J\302\235'

# controls_nothing FILE: there are no escapes but colours, those of the line, and the cursor's up, down and column.
controls_nothing() { ! LC_ALL=C grep -aP '\x1b(?!\[[0-9;]*[mKABG])|\x07|\xc2[\x80-\x9f]' "$1"; }

@test "logs and an attached run: colours and progress bars on a terminal, nothing else; a file has each byte" {
  write_config 1 "printf '$attack\\033[32mgreen\\033[0m \\033[A\\033[2K\\033[5Gend\\n' | tee raw"
  on_terminal 80 "$DDPSUBMIT run run.yaml" >screen
  controls_nothing screen
  grep -aFq $'\e[32mgreen\e[0m \e[A\e[2K\e[5Gend' screen
  for words in 'logs last' 'logs last --follow' 'logs last --json'; do
    on_terminal 80 "$DDPSUBMIT $words" >screen
    controls_nothing screen
    grep -aFq green screen
  done
  "$DDPSUBMIT" logs last >file
  cmp file raw
}

@test "the words of a rank in a cause are shown, and control nothing" {
  write_config 1 "printf 'lost $attack\\n' >&2; exit 3"
  on_terminal 80 "$DDPSUBMIT run run.yaml" >screen || true
  for words in 'status last' 'describe last' list 'compare last' 'report last --output -'; do
    on_terminal 80 "$DDPSUBMIT $words" >>screen || true
  done
  controls_nothing screen
  grep -aFq '\x1b]52;c;cm0gLXJmIH4K' screen
}

@test "so are the names of metrics, and a pipe gets them as they are" {
  write_config 1 'printf "{\"kind\":\"train\",\"attempt\":0,\"step\":1,\"a\302\2332J\":3}\n" >>"$DDPSUBMIT_OUTPUT_DIR/../metrics.jsonl"'
  "$DDPSUBMIT" run run.yaml
  for words in 'export last --csv' 'export last --json' 'describe last' 'status last --json'; do
    on_terminal 80 "$DDPSUBMIT $words" >screen
    controls_nothing screen
  done
  "$DDPSUBMIT" export last --csv | LC_ALL=C grep -aF $'a\302\2332J'
  "$DDPSUBMIT" export last --json | LC_ALL=C grep -aF $'a\302\2332J'
}

@test "a branch of git, and what a diff holds, control nothing" {
  local branch
  git init -q .
  git config user.email a@b && git config user.name a
  write_config 1 true
  echo 'x = 1' >train.py
  git add . && git commit -qm first
  printf 'x = %b\n' "${attack//\\\\/}" >train.py
  "$DDPSUBMIT" run run.yaml environment.record_diff=true
  branch=$(printf 'b%b' "${attack//\\033\\\\/}")
  git rev-parse HEAD >".git/refs/heads/$branch"
  printf 'ref: refs/heads/%s\n' "$branch" >.git/HEAD
  "$DDPSUBMIT" run run.yaml name=branch
  for words in 'describe job --diff' 'describe branch' 'describe branch --json'; do
    on_terminal 80 "$DDPSUBMIT $words" >screen || true
    controls_nothing screen
    grep -aE '(x1b|u001b)\]52;c;cm0gLXJmIH4K' screen
  done
}
