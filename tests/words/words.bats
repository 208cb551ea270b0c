# What check_words finds in a small tree.

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir docs cli python scripts
  printf '%s\n' '# -> finished' 'ended well' '' "as sbatch's option" >removed.txt
  printf '%s\n' '# Page' 'All ranks finished.' >docs/page.md
  printf '%s\n' '// ended well, says a comment' 'const char* text = "finished";' "const char quote = '\"';" >cli/a.cpp
  printf '%s\n' '# ended well' 'text = "finished"' >python/a.py
  printf '%s\n' '#!/bin/bash' '# ended well' 'echo finished' >scripts/a
}

check() { run "$SOURCE_DIR/tests/words/check_words" . removed.txt; }

@test "a tree without these phrases; comments may have them" {
  check
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "a phrase of a page is found over a line end" {
  printf '%s\n' 'The ranks ended' 'well.' >>docs/page.md
  check
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "docs/page.md:3: 'ended well' (ended well)" ]
}

@test "a phrase of a string of C++ is found, also where the string stands in pieces" {
  printf '%s\n' 'const char* help =' '    "as sbatch'"'"'s "' '    "option";' 'const char* raw = R"(ENDED  WELL)";' >>cli/a.cpp
  check
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "cli/a.cpp:5: 'as sbatch's option' (as sbatch's option)" ]
  [ "${lines[1]}" = "cli/a.cpp:7: 'ENDED WELL' (ended well)" ]
}

@test "a phrase of a string of Python and of a script is found" {
  printf '%s\n' 'print(f"{1} ended "' '      "well")' >>python/a.py
  echo 'echo "ended well"' >>scripts/a
  check
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "python/a.py:3: 'ended well' (ended well)" ]
  [ "${lines[1]}" = "scripts/a:4: 'ended well' (ended well)" ]
}

@test "a phrase of an f-string is found by each version of Python" {
  printf '%s\n' 'print(f"it'"'"'s {1} ended "' '      "well", f"ended " f"{2}")' >>python/a.py
  for python in /usr/bin/python3 python3.9 python3.12 python3.13 python3.14; do
    "$python" --version || continue
    run "$python" -B "$SOURCE_DIR/tests/words/check_words" . removed.txt
    echo "$output"
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "python/a.py:3: 'ended well' (ended well)" ]
    [ "${#lines[@]}" -eq 2 ]
  done
}
