# Recorded run folders: how a test lays them out, and how it compares what ddpsubmit prints about them.
#
# A recorded folder has placeholders for the paths of its test: @ROOT@ is the folder that holds `runs` and `state` and in which the runs
# work, @BIN@ that of the programs.

# use_folder_of_runs: this folder has the runs and the state of the user, and the clock of all outputs is UTC.
use_folder_of_runs() {
  export HOME=$PWD XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config TZ=UTC LC_ALL=C
}

# fill_in NAME=VALUE...: in all text files of this folder @NAME@ becomes VALUE.
fill_in() {
  local setting files
  for setting; do
    mapfile -d '' files < <(grep -rlIZF "@${setting%%=*}@" .)
    ((${#files[@]} == 0)) || sed -i "s|@${setting%%=*}@|${setting#*=}|g" "${files[@]}"
  done
}

# lay_out FOLDER: what is recorded there lies in this folder, as if the programs of $DDPSUBMIT had written it here.
lay_out() {
  cp -R "$1/." .
  fill_in "ROOT=$PWD" "BIN=${DDPSUBMIT%/*}"
}

# forbid_questions: a call of Slurm or ssh fails, and is recorded in the file `asked`. Nobody has to be asked about a run that has ended.
forbid_questions() {
  local program
  mkdir forbidden
  for program in sbatch squeue scontrol scancel sacct sinfo ssh; do
    # shellcheck disable=SC2016 # for the shell of the program
    printf '#!/bin/sh\necho "$0 $*" >>%q\nexit 1\n' "$PWD/asked" >"forbidden/$program"
  done
  chmod +x forbidden/*
  export PATH=$PWD/forbidden:$PATH
}

# say ARGUMENT...: how ddpsubmit is called, what it prints, its errors behind exclamation marks, and its exit code.
say() {
  local code=0
  printf '$ ddpsubmit %s\n' "$*"
  TZ=UTC "$DDPSUBMIT" "$@" >output 2>errors </dev/null || code=$?
  if [[ $1 == list && $* != *--json* ]]; then hide_ages <output; else cat output; fi
  sed 's/^/! /' errors
  echo "exit code $code"
}

# The ages of runs, and so the widths of the columns, depend on the day of the test.
hide_ages() { sed -E 's/ {2,}/  /g; s/  [0-9]+ (s|min|h|d)  /  @AGE@  /'; }

# say_again FILE: repeats the calls that are recorded there.
say_again() {
  local arguments
  while read -ra arguments; do say "${arguments[@]}"; done < <(sed -n 's/^\$ ddpsubmit //p' "$1") |
    sed "s|$PWD|@ROOT@|g; s|${DDPSUBMIT%/*}|@BIN@|g"
}
