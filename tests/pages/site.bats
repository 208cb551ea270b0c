# What scripts/docs gives to mkdocs, for a small tree of pages.

# shellcheck disable=SC2016 # backquotes of the pages
setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir -p docs tests/rig scripts/site
  echo >scripts/site/site.css
  echo text >tests/list.txt
  echo '# Read me' | tee README.md CONTRIBUTING.md CHANGELOG.md >SECURITY.md
  printf '%s\n' '# Index' '## Start' '- [First](first.md): see [the list](first.md).' '- [Contributing](../CONTRIBUTING.md): how.' >docs/index.md
  printf '%s\n' '# First' '[list](../tests/list.txt), [rig](../tests/rig), [gone](gone.md)' '| `a \| b` |' >docs/first.md
}

stage() { "$SOURCE_DIR/scripts/site/stage_pages" . site; }

@test "pages and the files that they link to are copied; a link to a folder becomes text" {
  stage
  [ "$(sed -n 2p site/pages/docs/first.md)" = '[list](../tests/list.txt), rig, [gone](gone.md)' ]
  cmp tests/list.txt site/pages/tests/list.txt
}

@test "a bar in the code of a table has no backslash" {
  stage
  # shellcheck disable=SC2016 # backquotes of the page
  [ "$(sed -n 3p site/pages/docs/first.md)" = '| `a | b` |' ]
}

@test "the navigation is what the items of docs/index.md begin with" {
  stage
  [ "$(jq --compact-output .nav site/mkdocs.yml)" = '[{"Home":"README.md"},{"All pages":"docs/index.md"},{"Start":[{"First":"docs/first.md"},{"Contributing":"CONTRIBUTING.md"}]}]' ]
}
