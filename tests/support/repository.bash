# A repository of git with a program in its folder `sub`, for runs with environment.snapshot.

# in_git WORD...: git with a user, in the repository.
in_git() { git -C "$repository" -c user.name=n -c user.email=e@example.org "$@"; }

# make_repository: sets repository, and goes into its folder sub. The program prints ../lib/text and its folder; the folders runs and
# build are ignored.
make_repository() {
  command -v git >/dev/null || skip 'git is needed'
  repository=$PWD/repository
  mkdir -p "$repository"/{sub,lib,build}
  git init -q "$repository"
  printf '%s\n' runs build up go >"$repository/.gitignore"
  echo first >"$repository/lib/text"
  echo app >"$repository/build/app"
  printf '%s\n' '#!/bin/sh' 'cat ../lib/text' 'pwd' >"$repository/sub/say.sh"
  chmod 750 "$repository/sub/say.sh"
  ln -s ../lib/text "$repository/sub/link"
  in_git add -A
  in_git commit -q -m first
  cd "$repository/sub" || return
}

# write_snapshot_config COMMAND [KEY: VALUE]: run.yaml, whose rank runs COMMAND in a shell; with more keys of `environment`.
write_snapshot_config() {
  cat >run.yaml <<CONFIG
name: job
run_root: runs
fault_tolerance: {grace_period: 2s}
environment: {snapshot: true${2:+, $2}}
command: [sh, -c, $(jq -n --arg text "$1" '$text')]
CONFIG
}
