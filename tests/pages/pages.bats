# What check_links and check_lines find in a small tree of pages.

# shellcheck disable=SC2016 # backquotes of the page
setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir docs
  printf '%s\n' '# Read me' 'See [the page](docs/page.md#a-heading) and [another](docs/).' >README.md
  printf '%s\n' '# Page' '## A heading' '[back](../README.md), [here](#page), [elsewhere](https://example.org/x#y)' \
    '## `ddpsubmit stack RUN`: why, and *how*' '[code](#ddpsubmit-stack-run-why-and-how)' >docs/page.md
}

check() { run "$SOURCE_DIR/tests/pages/check_$1" .; }

@test "links that lead somewhere" {
  check links
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "a link to a file or a heading that is not there is named with its place" {
  printf '%s\n' '[gone](docs/gone.md) [text](docs/page.md#another-heading)' '[r]: ../outside.md' >>README.md
  echo '[gone](#a-headin)' >>docs/page.md
  check links
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "README.md:3: 'docs/gone.md': there is no docs/gone.md" ]
  [ "${lines[1]}" = "README.md:3: 'docs/page.md#another-heading': no heading of docs/page.md has the anchor #another-heading" ]
  [ "${lines[2]}" = "README.md:4: '../outside.md' leads out of the repository" ]
  [ "${lines[3]}" = "docs/page.md:6: '#a-headin': no heading of docs/page.md has the anchor #a-headin" ]
}

@test "what stands in code is no link and no heading" {
  # shellcheck disable=SC2016 # backquotes of the page
  printf '%s\n' '```' '[gone](gone.md)' '# Comment' '```' 'as in `[text](gone.md)`' >>README.md
  check links
  [ "$status" -eq 0 ]
  echo '[comment](#comment)' >>README.md
  check links
  [ "$status" -eq 1 ]
}

@test "headings that are alike are counted" {
  printf '%s\n' '## Same' '## Same' '[first](#same), [second](#same-1)' >>README.md
  check links
  [ "$status" -eq 0 ]
  echo '[third](#same-2)' >>README.md
  check links
  [ "$status" -eq 1 ]
}

long() { printf 'word %.0s' {1..30}; }

@test "a long line is named; tables, code and links alone may be long" {
  # shellcheck disable=SC2016 # backquotes of the page
  printf '%s\n' "| $(long) |" '```' "$(long)" '```' "- [$(long)](docs/page.md)" >>README.md
  check lines
  [ "$status" -eq 0 ]
  long >>docs/page.md
  check lines
  [ "$status" -eq 1 ]
  [ "$output" = 'docs/page.md:6: 150 columns, at most 120' ]
}
