# The record of the nightly stages: what it holds, what is not repeated, and when it is old.
# shellcheck disable=SC2317 # the stages are called by their names

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  git init -q .
  git config user.name test
  git config user.email test
  mkdir docs
  printf '# Nightly\n\n## Last result\n' >docs/nightly.md
  echo source >file
  git add .
  git commit -qm first
  source "$SOURCE_DIR/scripts/steps/report.bash"
  source "$SOURCE_DIR/scripts/steps/nightly.bash"
  nightly_stages=(good bad)
  nightly_good() { echo good >>called && echo '7 things' >"$nightly_state/good.result"; }
  nightly_bad() { echo bad >>called && [[ -e mended ]]; }
  printf '%s\n' called mended build >.git/info/exclude
}

@test "each stage has its result, and what has passed with the same sources is not repeated" {
  run run_nightly fresh
  [ "$status" -eq 1 ]
  [[ $output == *'these nightly stages failed: bad'* ]]
  [ "$(jq -r '.stages | "\(.good.result) \(.good.what), \(.bad.result)"' docs/nightly.json)" = 'passed 7 things, failed' ]
  [ "$(jq -r .stages.good.commit docs/nightly.json)" = "$(git rev-parse --short=10 HEAD)" ]
  grep -E '^\| good \| passed \| 7 things \| [0-9a-f]{10} \| ....-..-.. \| 0 \|$' docs/nightly.md
  touch mended
  run_nightly resume
  [ "$(paste -sd ' ' called)" = 'good bad bad' ]
  mkdir -p scripts/tidy
  echo digest >scripts/tidy/passed.txt
  git add docs scripts
  git commit -qm 'The pages and the results are not what is tested'
  run_nightly resume
  [ "$(paste -sd ' ' called)" = 'good bad bad' ]
  echo more >>file
  run run_nightly resume
  [[ $output == *'the working tree has changes'* ]]
  git commit -qam second
  nightly_stages=(good)
  run_nightly resume
  [ "$(paste -sd ' ' called)" = 'good bad bad good' ]
  nightly_stages=(bad ugly)
  run run_nightly resume
  [[ $output == *"there is no nightly stage 'ugly'"* ]]
  nightly_stages=(good bad)
  run_nightly resume
  [ "$(paste -sd ' ' called)" = 'good bad bad good bad' ]
}

@test "a stage without a result, or with an old one, is named; one of a commit that is not there is left out" {
  [ "$(tell_old_stages)" = 'no nightly stage is on record yet' ]
  touch mended
  run_nightly fresh
  [ "$(tell_old_stages)" = '' ]
  jq '.stages.good.date = "2020-01-01" | del(.stages.bad)' docs/nightly.json >old
  cp old docs/nightly.json
  [ "$(tell_old_stages | sed 's/ on 2020.*//' | paste -sd ';')" = \
    "the nightly stage 'good' last passed more than 3 days ago,;the nightly stage 'bad' has not passed yet" ]
  jq '.stages.good.commit = "0123456789" | .stages.bad = .stages.good' old >docs/nightly.json
  [ "$(tell_old_stages)" = '' ]
}
