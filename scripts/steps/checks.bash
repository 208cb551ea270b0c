# What is checked besides the tests: a function each, named after the word that scripts/check takes.
# shellcheck disable=SC2154 # scripts/check and what it sources set the names

# tell_result TEXT: what has passed, for the record of the nightly stages.
tell_result() { [[ -z ${RESULT_FILE:-} ]] || echo "$1" >"$RESULT_FILE"; }

check_format() {
  step 'Checking the format with clang-format'
  git ls-files -z '*.cpp' '*.hpp' '*.cu' | xargs -0 clang-format-14 --dry-run -Werror
}

check_shell() {
  step 'Checking all scripts with shellcheck'
  tests/scripts/shellcheck_all shellcheck
}

check_spelling() {
  step 'Checking the spelling with codespell'
  git ls-files -z | xargs -0 codespell
}

check_layers() {
  step 'Checking that each include is allowed'
  tests/layers/check_layers .
}

check_links() {
  step 'Links of the pages, and the headings that they lead to'
  tests/pages/check_links .
}

check_lines() {
  step 'Lines of the pages'
  tests/pages/check_lines .
}

check_words() {
  step 'Phrases that are not to come back'
  tests/words/check_words .
}

# The sources whose text differs from tidy_base, those with the most changes first; a file that was only moved does not count. A header
# that differs stands for the source of that name beside it.
changed_sources() {
  git diff --find-renames --numstat "$tidy_base" -- '*.cpp' '*.hpp' | sort -k 1,1nr |
    sed -nE 's/^([1-9][0-9]*)\t[0-9]+\t//p' | sed -E 's/\{.* => (.*)\}/\1/; s/^.* => //; s|//|/|g; s/\.hpp$/.cpp/' |
    awk '/^(cli|jobenv|trainer)\// && !seen[$0]++' | while read -r file; do [[ ! -e $file ]] || echo "$file"; done
}

# Where the work on this tree began, as far as that is known. A clone of one commit has none.
find_tidy_base() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null) || base=
  if [[ -n $base && $base != $(git rev-parse HEAD) ]]; then
    echo "$base"
  else
    git rev-parse --quiet --verify 'HEAD~1^{commit}' || git rev-parse HEAD
  fi
}

check_tidy() {
  local list files
  [[ -n $tidy_base ]] || tidy_base=$(find_tidy_base)
  if [[ $tidy_base == all ]]; then
    check_tidy_of_all
    return
  fi
  git rev-parse --quiet --verify "$tidy_base^{commit}" >/dev/null || die "there is no commit '$tidy_base' to compare with"
  list=$(changed_sources)
  list=$(head -n "$tidy_most" <<<"$list")
  mapfile -t files < <(sed '/^$/d' <<<"$list")
  step "Running clang-tidy on ${#files[@]} files"
  ((${#files[@]} > 0)) || return 0
  # For the commands of the compiler only; nothing is built.
  cmake --preset dev -DDDP_LIBTORCH="$libtorch" "${cmake_arguments[@]}" >build/tidy.log || { cat build/tidy.log >&2 && return 1; }
  run-clang-tidy-16 -quiet -p build/dev -j "$(nproc)" "${files[@]/#/$PWD/}" >build/tidy.log 2>&1 || { cat build/tidy.log >&2 && return 1; }
}

check_tidy_of_all() {
  local status=0
  step 'Running clang-tidy on all files'
  cmake --preset dev -B build/tidy -DCMAKE_UNITY_BUILD=ON -DDDP_BUILD_TESTS=OFF -DDDP_LIBTORCH="$libtorch" "${cmake_arguments[@]}" >build/tidy.log ||
    { cat build/tidy.log >&2 && return 1; }
  scripts/tidy/tidy.py build/tidy "$(nproc)" | tee build/tidy.log || status=1
  tell_result "$(tail -n 1 build/tidy.log)"
  return "$status"
}

check_sanitize() {
  step 'Running the unit tests of jobenv and cli with AddressSanitizer and UndefinedBehaviorSanitizer'
  # Several files as one, as in a release: what each has to include is seen by the other builds.
  cmake --preset asan-ubsan -DDDP_BUILD_TRAINER=OFF -DCMAKE_UNITY_BUILD=ON "${cmake_arguments[@]}"
  cmake --build --preset asan-ubsan --parallel "$(nproc)"
  ctest --preset asan-ubsan --no-tests=error --parallel "$side_by_side" --tests-regex '^(unit|fuzz)'
  tell_result 'unit tests of jobenv, cli, and the parts of trainer without LibTorch'
}

check_sanitize_jobenv() {
  step 'Running the unit tests of jobenv with AddressSanitizer'
  cmake --preset asan-ubsan -B build/asan-jobenv -DDDP_SANITIZE=address -DDDP_BUILD_TRAINER=OFF -DDDP_BUILD_CLI=OFF -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -g1" "${cmake_arguments[@]}"
  cmake --build build/asan-jobenv --parallel "$(nproc)"
  ctest --test-dir build/asan-jobenv --output-on-failure --no-tests=error --parallel "$side_by_side" --tests-regex '^unit'
}

check_threads() {
  step "Running the unit tests of threaded parts of the trainer with ThreadSanitizer"
  cmake --preset tsan -DDDP_LIBTORCH="$libtorch" "${cmake_arguments[@]}"
  local programs=(unit_trainer unit_trainer_plain) program suite known=''
  cmake --build --preset tsan --parallel "$(nproc)" --target "${programs[@]}"
  local suites=(SharedCounts SharedMemory SharedSum Ranks/SharedSumOf Ranks/SharedGatherOf Ranks/SharedReduceScatterOf OrderedPrefetch Workers/LoaderOf Writer WorkerThreads)
  for program in "${programs[@]}"; do known+=$(build/tsan/bin/"$program" --gtest_list_tests)$'\n'; done
  for suite in "${suites[@]}"; do
    grep -q "^$suite\." <<<"$known" || die "there are no unit tests '$suite'"
  done
  for program in "${programs[@]}"; do
    # LibTorch itself is not instrumented: its own threads say nothing here.
    TSAN_OPTIONS='ignore_noninstrumented_modules=1' build/tsan/bin/"$program" --gtest_filter="$(printf '%s.*:' "${suites[@]}")"
  done
  tell_result "unit tests of ${#suites[@]} parts of the trainer"
}

check_fuzz() {
  step "Running each fuzz target for $fuzz_seconds s"
  local target targets=0 passed=build/fuzz/passed
  cmake --preset fuzz "${cmake_arguments[@]}"
  cmake --build --preset fuzz --parallel "$(nproc)" --target fuzz
  [[ $fuzz_mode == resume ]] || rm -f "$passed"
  for target in build/fuzz/bin/fuzz_*; do
    targets=$((targets + 1))
    ! grep -qsxF "$target" "$passed" || continue
    mkdir -p "build/fuzz/corpus/${target##*/}"
    "$target" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/${target##*/}-" \
      -print_final_stats=1 "build/fuzz/corpus/${target##*/}" "tests/fuzz/${target##*/fuzz_}_corpus" 2>"build/fuzz/${target##*/}.log" ||
      { tail -n 40 "build/fuzz/${target##*/}.log" >&2 && die "${target##*/} has found a fault: the input is in build/fuzz"; }
    sed -n "s/^stat::number_of_executed_units: */  ${target##*/}: /p" "build/fuzz/${target##*/}.log"
    echo "$target" >>"$passed"
  done
  tell_result "$targets targets, $fuzz_seconds s each"
}
