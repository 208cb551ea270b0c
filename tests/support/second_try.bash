# A case of the file that loads this may fail once: it is tried a second time. scripts/test names each case that needed it, and fails
# when they are many.

# shellcheck disable=SC2034 # bats reads it
BATS_TEST_RETRIES=1

# The name of the case, which bats has not told yet, out of that of its function.
case_name() { printf '%b' "$(sed 's/^test_//; s/_/ /g; s/-\([0-9a-f][0-9a-f]\)/\\x\1/g' <<<"$BATS_TEST_NAME")"; }

if ((${BATS_TEST_TRY_NUMBER:-1} > 1)); then
  mkdir -p "$DDP_TEST_STATE"
  printf '%s: %s\n' "${BATS_TEST_FILENAME##*/tests/}" "$(case_name)" >>"$DDP_TEST_STATE/second_tries"
fi
