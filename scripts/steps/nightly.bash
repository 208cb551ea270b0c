# The nightly stages. docs/nightly.json has the last result of each, and docs/nightly.md a table of it.
# shellcheck disable=SC2154 # scripts/test and what it sources set the names

nightly_stages=(tests sanitize threads fuzz tidy)
nightly_record=docs/nightly.json
nightly_page=docs/nightly.md
nightly_state=build/nightly # what an interrupted run has done
nightly_results=(docs scripts/tidy/passed.txt) # what the stages write, and what is not built

# run_nightly fresh|resume: each stage, with its result in the record. resume leaves out what has passed with the same sources.
run_nightly() {
  local mode=$1 stage failed=() tree
  for stage in "${nightly_stages[@]}"; do
    declare -F "nightly_$stage" >/dev/null || die "there is no nightly stage '$stage'"
  done
  [[ -z $(git status --porcelain -- "${nightly_results[@]/#/:!}") ]] || die 'the working tree has changes' 'Commit them first: the record names a commit.'
  tree=$(tree_of_sources)
  mkdir -p "$nightly_state"
  if [[ $mode == fresh || $(cat "$nightly_state/tree" 2>/dev/null) != "$tree" ]]; then
    rm -f "$nightly_state"/*
    echo "$tree" >"$nightly_state/tree"
  fi
  for stage in "${nightly_stages[@]}"; do
    if [[ $mode == resume ]] && has_passed "$stage" "$tree"; then
      echo "nightly $stage: passed with the same sources at $(jq -r ".stages.$stage.commit" "$nightly_record")"
      continue
    fi
    local began=$SECONDS result=passed
    "nightly_$stage" || result=failed
    note_stage "$stage" "$tree" "$result" "$((SECONDS - began))"
    [[ $result == passed ]] || failed+=("$stage")
  done
  ((${#failed[@]} == 0)) || die "these nightly stages failed: ${failed[*]}" "./scripts/test --nightly --resume runs them again."
}

nightly_tests() {
  local log=$nightly_state/tests.log passed code=0
  touch "$log" "$nightly_state/tests.passed"
  note_passed_tests # of a run that was interrupted
  passed=$(paste -sd '|' "$nightly_state/tests.passed")
  run_lane nightly ${passed:+--exclude-regex "^(${passed//./\\.})$"} 2>&1 | tee "$log" || code=1
  note_passed_tests
  echo "$(wc -l <"$nightly_state/tests.passed") tests" >"$nightly_state/tests.result"
  return "$code"
}

# Puts the tests that have passed, by the output of ctest, on record.
note_passed_tests() {
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* Passed .*/\1/p' "$nightly_state/tests.log" | sort -u - "$nightly_state/tests.passed" -o "$nightly_state/tests.passed"
}

nightly_sanitize() { check_with_result sanitize; }
nightly_threads() { check_with_result threads; }
nightly_fuzz() { check_with_result fuzz --fuzz-seconds=120 --resume; }
nightly_tidy() { check_with_result tidy --all; }

# check_with_result NAME [OPTION...]
check_with_result() {
  RESULT_FILE=$PWD/$nightly_state/$1.result scripts/check "$@" "-DDDP_LIBTORCH=$libtorch" "${cmake_arguments[@]}"
}

# A digest of all that is built and tested; neither the pages nor the results are part of it.
tree_of_sources() { git ls-files --stage -- "${nightly_results[@]/#/:!}" ':!*.md' | sha256sum | cut -c 1-16; }

# has_passed STAGE TREE
has_passed() {
  [[ -e $nightly_record ]] && jq -e --arg stage "$1" --arg tree "$2" '.stages[$stage] | .result == "passed" and .tree == $tree' "$nightly_record" >/dev/null
}

# note_stage STAGE TREE RESULT SECONDS
note_stage() {
  local what
  what=$(cat "$nightly_state/$1.result" 2>/dev/null) || what=
  [[ -e $nightly_record ]] || echo '{"schema": "ddpsubmit.nightly.v1", "stages": {}}' >"$nightly_record"
  jq --arg stage "$1" --arg tree "$2" --arg result "$3" --argjson seconds "$4" --arg commit "$(git rev-parse --short=10 HEAD)" \
    --arg date "$(date -u +%F)" --arg what "$what" \
    '.stages[$stage] = {commit: $commit, tree: $tree, date: $date, result: $result, what: $what, seconds: $seconds}' \
    "$nightly_record" >"$nightly_record.new"
  mv "$nightly_record.new" "$nightly_record"
  write_nightly_page
}

# Writes the table of the page anew: it is what follows its last heading.
write_nightly_page() {
  sed -i '/^## Last result$/q' "$nightly_page"
  {
    printf '\nThis table is made from [nightly.json](nightly.json).\n\n| stage | result | what | commit | date | minutes |\n|---|---|---|---|---|---|\n'
    jq -r '.stages | to_entries[] | "| \(.key) | \(.value.result) | \(.value.what) | \(.value.commit) | \(.value.date) | \(.value.seconds / 60 | ceil) |"' \
      "$nightly_record"
  } >>"$nightly_page"
}

# Prints a line for each stage without a result of the last 600 commits and 3 days. In a clone without the history it prints nothing.
tell_old_stages() {
  local stage commit date result
  [[ -e $nightly_record ]] || { echo 'no nightly stage is on record yet' && return; }
  for stage in "${nightly_stages[@]}"; do
    read -r commit date result < <(jq -r --arg stage "$stage" '.stages[$stage] // {} | "\(.commit // "-") \(.date // "-") \(.result // "-")"' "$nightly_record")
    if [[ $result != passed ]]; then
      echo "the nightly stage '$stage' has not passed yet"
    elif ! git rev-parse --quiet --verify "$commit^{commit}" >/dev/null; then
      continue
    elif (($(git rev-list --count "$commit..HEAD") > 600)); then
      echo "the nightly stage '$stage' last passed more than 600 commits ago, at $commit"
    elif (($(date +%s) - $(date -d "$date" +%s) > 4 * 86400)); then
      echo "the nightly stage '$stage' last passed more than 3 days ago, on $date"
    fi
  done
}
