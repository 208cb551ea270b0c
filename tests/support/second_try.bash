# A case of the file that loads this may fail once: it is tried a second time. scripts/test names each case that needed it, and fails
# when they are many.

# shellcheck disable=SC2034 # bats reads it
BATS_TEST_RETRIES=1

if ((${BATS_TEST_TRY_NUMBER:-1} > 1)); then
  mkdir -p "$DDP_TEST_STATE/second_tries"
  printf '%s: %s\n' "${BATS_TEST_FILENAME##*/tests/}" "$(sed 's/^test_//; s/_/ /g' <<<"$BATS_TEST_NAME")" >"$DDP_TEST_STATE/second_tries/$$"
fi
