# A case of the file that loads this may fail once: it is tried a second time. scripts/test names each case that needed it, shows what its
# first try has said, and fails when they are many.

# shellcheck disable=SC2034 # bats reads it
BATS_TEST_RETRIES=1

# The name of the case, which bats has not told yet, out of that of its function.
case_name() { printf '%b' "$(sed 's/^test_//; s/_/ /g; s/-\([0-9a-f][0-9a-f]\)/\\x\1/g' <<<"$BATS_TEST_NAME")"; }

# bats drops what a try has said that is not the last one. It asks this function before it does so.
eval "tries_are_left$(declare -f bats_should_retry_test | sed '1s/^bats_should_retry_test//')"
bats_should_retry_test() { tries_are_left && keep_first_try; }

keep_first_try() {
  local trace
  mkdir -p "$DDP_TEST_STATE/first_tries"
  bats_get_failure_stack_trace trace
  {
    bats_print_stack_trace "${trace[@]}"
    bats_print_failed_command "${trace[@]}"
    [[ -z ${output-} ]] || printf '%s\n' "$output" # of bats' run
    cat "$BATS_OUT"
  } &>"$DDP_TEST_STATE/first_tries/$(tr / _ <<<"${BATS_TEST_FILENAME##*/tests/}: $(case_name)")"
}
