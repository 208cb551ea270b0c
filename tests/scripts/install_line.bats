# What to type to install ddpsubmit stands in one place. Until a release is published it names files: nobody is told to install
# a package by a name that somebody else could take.

bats_require_minimum_version 1.5.0

setup() {
  cd "$SOURCE_DIR" || return
  repository=$SOURCE_DIR
  source scripts/steps/next_steps.bash
  line=$(install_line)
}

# Lines that install ddpsubmit by its name, as FILE:NUMBER:LINE. The page about releases says what the line becomes.
named_packages() {
  grep -rnE --exclude=releasing.md "\b(pip3?|pipx|uv|tool) install( +-[^ ]+| +[^ -][^ ]*)* +['\"]?ddpsubmit(-trainer)?(\[[a-z]+\])?(==[^ ]*)?['\"]?( |\`|\)|;|,|\"|$)" "$@" |
    grep -vE 'uninstall|runpip ddpsubmit install' || true
}

@test "the line is read from the source of the programs" {
  [[ $line == 'pip install '* ]]
}

@test "README, the page about installing and the end of the demo say it" {
  grep -qxF "$line" README.md
  grep -qF "\`$line\`" docs/install.md
  run tell_next_steps build/release
  [[ $output == *"export PATH=\"$SOURCE_DIR/build/release/bin:\$PATH\""*"cmake --install build/release"*"$line"* ]]
}

@test "messages take it from there, and write none of their own" {
  run grep -rlF .whl cli jobenv trainer
  [[ -z $output || $output == cli/launch/plan/install_line.hpp ]]
}

@test "as long as it names files, nothing names a package" {
  [[ $line == *.whl* ]] || skip 'a release is published'
  run named_packages README.md CONTRIBUTING.md docs examples scripts cli jobenv trainer
  echo "$output"
  [ -z "$output" ]
}

@test "once it names a package, the pages do not speak of files any more" {
  [[ $line != *.whl* ]] || skip 'no release is published'
  run grep -nE 'install .*\./ddpsubmit[-_]|No release is published yet' README.md docs/install.md
  echo "$output"
  [ "$status" -eq 1 ]
}

@test "a line that names a package is found" {
  cd "$BATS_TEST_TMPDIR" || exit 1
  printf '%s\n' "pip install 'ddpsubmit[trainer]'" 'pip install -U ddpsubmit' "run \`uv tool install ddpsubmit\`, then" \
    'pip install torch ddpsubmit-trainer==0.1.0' >named
  printf '%s\n' 'pip install ./ddpsubmit-*.whl ./ddpsubmit_trainer-*.whl' 'pip uninstall ddpsubmit' 'install ddptrain' \
    'dpkg --install ddpsubmit_*.deb' >unnamed
  run named_packages named unnamed
  [ "${#lines[@]}" -eq 4 ]
  [[ $output != *unnamed* ]]
}
