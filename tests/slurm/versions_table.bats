# The table of what passes on which version: compared with what tests have found, and written.

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  begin='<!-- table of tests/slurm/versions_table: begin -->' end='<!-- table of tests/slurm/versions_table: end -->'
  # shellcheck disable=SC2016 # of Markdown
  printf '%s\n' before "$begin" '| tests | 22.05.8 (Debian 12) | 26.05.5 (sid) |' '|---|---|---|' '| `slurm/stop` | all | all |' "$end" after >page.md
  mkdir -p state/slurm
}

table() { "$SOURCE_DIR/tests/slurm/versions_table" page.md state "$@"; }
# found RELEASE VERSION FILE PART PARTS PASSED CASES
found() { echo "$*" >"state/slurm/$1.${3//\//.}.$4"; }

@test "what agrees with the table, or was not run as a whole, is no error" {
  found bookworm 22.05.8 slurm/stop 1 2 3 3
  found bookworm 22.05.8 slurm/stop 2 2 2 2
  found bookworm 22.05.8 slurm/sweep 1 2 0 3
  run table
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "a case that fails is an error, and told with what to do" {
  found bookworm 22.05.8 slurm/stop 1 1 4 5
  run table
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = 'slurm/stop on Slurm 22.05.8 (Debian 12): 4 of 5 passed, page.md says all' ]
  [[ ${lines[1]} == *'versions_table page.md state --write' ]]
}

@test "what differs on sid is told, and is no error" {
  found sid 26.11.0 slurm/stop 1 1 4 5
  run table
  [ "$status" -eq 0 ]
  [ "$output" = 'slurm/stop on Slurm 26.11.0 (sid): 4 of 5 passed, page.md says all' ]
}

@test "what was found is written, and the rest stays" {
  found trixie 24.11.5 slurm/stop 1 1 5 5
  found sid 26.11.0 slurm/stop 1 1 4 5
  found sid 26.11.0 slurm/sweep 1 1 5 5
  table --write
  diff page.md - <<TABLE
before
$begin
| tests | 22.05.8 (Debian 12) | 24.11.5 (Debian 13) | 26.11.0 (sid) |
|---|---|---|---|
| \`slurm/stop\` | all | all | 4 of 5 |
| \`slurm/sweep\` | – | – | all |
$end
after
TABLE
  table
}
