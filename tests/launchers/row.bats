# A launcher is added by its two folders and one row: here in a copy of the sources, of which only the includes are
# looked at. That such a launcher compiles and works, nightly.conformance.queue shows with the same two folders.

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  git init -q sources
  (cd "$SOURCE_DIR" && git ls-files -z cli jobenv trainer cmake tests/layers docs/layers.md | xargs -0 cp --parents -t "$BATS_TEST_TMPDIR/sources")
  cd sources || return
  git add .
  git -c user.name=test -c user.email=test commit -qm before
}

@test "two folders and a row are all that changes, and the layers hold" {
  mkdir cli/launchers/queue jobenv/agent/launchers/queue
  cp "$SOURCE_DIR"/tests/launchers/queue/cli/* cli/launchers/queue
  cp "$SOURCE_DIR"/tests/launchers/queue/agent/* jobenv/agent/launchers/queue
  sed -i 's/^set(ddp_launchers .*[^)]/& queue/' cmake/Launchers.cmake
  git add .
  run git diff --cached --stat HEAD
  echo "$output"
  [[ $(git diff --cached --name-only HEAD | grep -v '^cli/launchers/queue/\|^jobenv/agent/launchers/queue/') == cmake/Launchers.cmake ]]
  [[ $(git diff --cached --shortstat HEAD -- cmake) == *' 1 insertion'*' 1 deletion'* ]]
  tests/layers/check_layers .
}

@test "no other place names a launcher" {
  local launchers names own
  launchers=$(sed -n 's/^set(ddp_launchers \(.*\))/\1/p' cmake/Launchers.cmake)
  [ "$(wc -w <<<"$launchers")" -ge 3 ]
  own="(${launchers// /|})"
  names="\"$own\""
  run grep -rnE "$names" cli jobenv trainer --include=*.cpp --include=*.hpp
  # The environment of a job that ddpsubmit has not started, and batch scripts to import, name what they are about.
  run grep -vE "^(cli/import/|cli/launchers/$own/|jobenv/agent/launchers/$own/|jobenv/src/)" <<<"$output"
  echo "$output"
  [ -z "$output" ]
  run grep -rn 'LauncherKind' cli jobenv trainer
  [ -z "$output" ]
}
