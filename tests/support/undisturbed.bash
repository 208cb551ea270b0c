# Trainings that nothing disturbs, to compare others with: each is done once a run of the tests, whoever asks for it first.

# undisturbed KEY=VALUE...: the run folder of the example's training on this machine, with these settings.
undisturbed() {
  local folder lock
  folder=$DDP_TEST_STATE/undisturbed/$(sha256sum "$DDPSUBMIT" "$DDPTRAIN" - <<<"$*" | sha256sum | cut -c 1-16)
  mkdir -p "${folder%/*}"
  exec {lock}>"$folder.lock"
  flock "$lock"
  if [[ ! -e $folder ]]; then
    rm -rf "$folder.incomplete"
    "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" "$@" "run_root=$folder.incomplete" &>"$folder.said" 3>&- {lock}>&- || { cat "$folder.said" && return 1; }
    mv "$folder.incomplete" "$folder"
  fi
  exec {lock}>&-
  echo "$folder"/*
}

# has_bytes_of_undisturbed FOLDER KEY=VALUE...: does the run of that folder end with the parameters of the undisturbed training?
has_bytes_of_undisturbed() {
  local folder
  folder=$(undisturbed "${@:2}") || return
  cmp "$(final_parameters "$1")" "$(final_parameters "$folder")"
}
