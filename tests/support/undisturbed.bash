# Trainings that nothing disturbs, to compare others with: each is done once a run of the tests, whoever asks for it first.

# undisturbed ARGUMENT...: the run folder of `ddpsubmit run` on this machine with these arguments.
undisturbed() {
  local folder lock
  folder=$DDP_TEST_STATE/undisturbed/$(sha256sum "$DDPSUBMIT" "$DDPTRAIN" - <<<"$*" | sha256sum | cut -c 1-16)
  mkdir -p "${folder%/*}"
  exec {lock}>"$folder.lock"
  flock "$lock"
  if [[ ! -e $folder ]]; then
    rm -rf "$folder.incomplete"
    "$DDPSUBMIT" run "$@" "run_root=$folder.incomplete" &>"$folder.said" 3>&- {lock}>&- || { cat "$folder.said" && return 1; }
    mv "$folder.incomplete" "$folder"
  fi
  exec {lock}>&-
  echo "$folder"/*
}
