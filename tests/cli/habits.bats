# What people type and write out of habit: other names, short options, shell words in a command, files from Windows.
# shellcheck disable=SC2016,SC2088 # these words are for ddpsubmit, not for this shell

bats_require_minimum_version 1.5.0
load ../support/local_run
load ../support/tmux

setup() { isolate_user; }
teardown() { close_screen; }

# refused WORDS COMMAND...: the command fails with these words.
refused() {
  local words=$1
  shift
  run "$@"
  [[ $status -ne 0 && $output == *"$words"* ]]
}

@test "other names of verbs, short options of logs, and keys of args without their section" {
  refused "did you mean 'prune'?" "$DDPSUBMIT" rm last
  refused "did you mean 'prune'?" "$DDPSUBMIT" delete last
  printf 'args: {lr: 1}\ncommand: [echo, "{args.lr}"]\n' >a.yaml
  refused "did you mean 'args.lr'?" "$DDPSUBMIT" validate a.yaml lr=3
  refused "write args.lr='\"\"'" "$DDPSUBMIT" validate a.yaml args.lr=
  "$DDPSUBMIT" run a.yaml 'args.lr=""' run_root=runs
  "$DDPSUBMIT" run a.yaml run_root=runs 'command=[printf, "one\ntwo\n"]' args=null
  [ "$("$DDPSUBMIT" logs last -n 1 --stdout)" = two ]
  [ "$("$DDPSUBMIT" logs last -f --stdout | paste -sd ' ')" = 'one two' ]
}

@test "in a folder that is gone there is a sentence, not an exception" {
  mkdir gone
  cd gone
  rmdir "$OLDPWD/gone"
  refused 'the current folder cannot be used' "$DDPSUBMIT" list
  [[ $output == *'it may have been deleted'* ]]
}

@test "files with the line ends of Windows, and interpreters that are not there, are named" {
  local line
  for line in '/bin/bash' '/usr/bin/env python3'; do
    printf '#!%s\r\necho\r\n' "$line" >script
    chmod +x script
    echo 'command: [./script]' >run.yaml
    refused "'./script' has the line ends of Windows: its first line names '$line\\r'" "$DDPSUBMIT" run run.yaml run_root=runs
    [[ $output == *'run.yaml:1:11'*"sed -i 's/\\r\$//' ./script"* ]]
  done
  printf '#!/opt/none -x\necho\n' >script
  refused "cannot start './script': the interpreter '/opt/none' does not exist" "$DDPSUBMIT" run run.yaml run_root=runs
}

@test "words that only a shell reads, and programs that start ranks within a shell, are told" {
  echo 'command: [echo, ~/x, "*.csv", "$HOME/x", --re=*.csv, "a*b"]' >run.yaml
  "$DDPSUBMIT" validate run.yaml &>said
  grep -F "'~/x', '*.csv' and '\$HOME' reach the program unchanged" said
  echo 'command: [bash, -c, "cd x && OMP_NUM_THREADS=1 exec torchrun --nproc-per-node=2 train.py"]' >run.yaml
  "$DDPSUBMIT" validate run.yaml &>said
  grep -F "each rank would start 'torchrun' once more" said
  echo 'command: [bash, -c, "echo torchrun"]' >run.yaml
  "$DDPSUBMIT" validate run.yaml &>said
  run ! grep torchrun said
}

@test "a file system without a sync of folders is no obstacle" {
  cat >without_sync.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>
int fsync(int file) {
  struct stat state;
  if (fstat(file, &state) == 0 && S_ISDIR(state.st_mode)) return errno = EINVAL, -1;
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}
C
  cc -shared -fPIC -o without_sync.so without_sync.c -ldl
  echo 'command: ["true"]' >run.yaml
  LD_PRELOAD=$PWD/without_sync.so "$DDPSUBMIT" run run.yaml run_root=runs
}

@test "rank 0 reads the stdin of ddpsubmit with --stdin, also after set-up lines, and under torchrun; else ranks have none" {
  cat >read.py <<'PYTHON'
import os, sys
print(os.environ["RANK"], sys.stdin.read().split(), flush=True)
PYTHON
  printf 'run_root: runs\nresources: {tasks_per_node: 2}\ncommand: [python3, read.py]\n' >run.yaml
  [ "$(seq 3 | "$DDPSUBMIT" run run.yaml --stdin | sort | paste -sd ,)" = "[r0] 0 ['1', '2', '3'],[r1] 1 []" ]
  [ "$(seq 3 | "$DDPSUBMIT" run run.yaml --stdin 'environment.setup=[export A=1]' | sort | paste -sd ,)" = "[r0] 0 ['1', '2', '3'],[r1] 1 []" ]
  [ "$(seq 3 | "$DDPSUBMIT" torchrun --nproc-per-node 2 read.py | sort | paste -sd ,)" = "[r0] 0 ['1', '2', '3'],[r1] 1 []" ]
  seq 3 | while read -r line; do
    "$DDPSUBMIT" run run.yaml >printed
    echo "$line" >>lines
  done
  [ "$(paste -sd ' ' lines)" = '1 2 3' ]
  [ "$(sort printed | paste -sd ,)" = '[r0] 0 [],[r1] 1 []' ]
  "$DDPSUBMIT" torchrun read.py <&- >printed
  refused '--stdin needs a run on this machine that is followed' "$DDPSUBMIT" run run.yaml --stdin --detach
}

@test "a person types to rank 0 through a terminal of its own, and the shell behind gets nothing of it" {
  printf 'run_root: runs\ncommand: [python3, ask.py]\n' >run.yaml
  echo 'import sys; print("terminal", sys.stdin.isatty(), flush=True); print("heard", input(), flush=True)' >ask.py
  open_screen 80 24
  type_line "$DDPSUBMIT run run.yaml --stdin; echo code \$?"
  eventually shows 'terminal True'
  type_line 'hello there'
  eventually shows 'heard hello there'
  eventually shows 'code 0'
}
