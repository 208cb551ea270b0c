# What people type and write out of habit: other names, short options, shell words in a command, files from Windows.
# shellcheck disable=SC2016,SC2088 # these words are for ddpsubmit, not for this shell

bats_require_minimum_version 1.5.0
load ../support/local_run

setup() { isolate_user; }

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
