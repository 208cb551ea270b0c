# The manual pages that `ddpsubmit manual` writes, as man and mandoc read them.

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  SOURCE_DATE_EPOCH=1769817600 "$DDPSUBMIT" manual --share share
}

@test "a page for each verb, one for the program, one for the configuration" {
  local verb
  while read -r verb; do
    [ -s "share/man/man1/ddpsubmit-$verb.1" ]
    grep -q "^\.TH \"DDPSUBMIT\\\\-${verb^^}\" 1 2026-01-31 " "share/man/man1/ddpsubmit-$verb.1"
  done < <("$DDPSUBMIT" __complete -- '' | cut -f 1)
  [ -s share/man/man1/ddpsubmit.1 ] && [ -s share/man/man5/ddpsubmit.yaml.5 ]
  [ ! -e share/man/man1/ddpsubmit-manual.1 ]
}

@test "man has no warning of a page" {
  command -v groff >/dev/null || skip 'groff is needed'
  local page said
  for page in share/man/man*/*; do
    said=$(MANROFFSEQ='' MANWIDTH=80 LC_ALL=C.UTF-8 groff -man -Tutf8 -ww -k "$page" 2>&1 >/dev/null)
    echo "$page: $said"
    [ -z "$said" ]
  done
}

@test "mandoc has no warning of a page, not even of its style" {
  command -v mandoc >/dev/null || skip 'mandoc is needed'
  run mandoc -Tlint share/man/man*/*
  echo "$output"
  [ -z "$output" ]
}

@test "what a user types is printed as it is typed" {
  command -v mandoc >/dev/null || skip 'mandoc is needed'
  mandoc -Tutf8 share/man/man1/ddpsubmit-run.1 | col -b >page
  grep -qF -- '--no-preflight' page
  grep -qF -- "'ssh.hosts=[node1, node2]'" page
  mandoc -Tutf8 share/man/man5/ddpsubmit.yaml.5 | col -b | grep -qF 'train.optimizer.momentum'
}

@test "the same date gives the same bytes; the completion scripts stand where the shells look" {
  SOURCE_DATE_EPOCH=1769817600 "$DDPSUBMIT" manual --share again
  diff -r share again
  cmp share/bash-completion/completions/ddpsubmit <("$DDPSUBMIT" completion bash)
  cmp share/zsh/site-functions/_ddpsubmit <("$DDPSUBMIT" completion zsh)
  cmp share/fish/vendor_completions.d/ddpsubmit.fish <("$DDPSUBMIT" completion fish)
}
