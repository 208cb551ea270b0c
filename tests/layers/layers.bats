# What check_layers finds in a small tree: includes that the list does not allow, with their places, and a list that is wrong itself.

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir -p jobenv/include/ddp/jobenv jobenv/low cli/high trainer
  echo >jobenv/include/ddp/jobenv/public.hpp
  echo '#include <vector>' >jobenv/low/low.hpp
  printf '%s\n' '#include "jobenv/low/low.hpp"' '#include "ddp/jobenv/public.hpp"' '#include "fmt/format.h"' >cli/high/high.cpp
  echo >cli/high/high.hpp
  printf '%s\n' '# lowest first' 'jobenv/include:' 'jobenv/low:' 'cli/high: jobenv/include jobenv/low' >folders.txt
  printf '%s\n' '## Drawings' '```' 'cli/high   what is high' '```' '```' 'jobenv/low  what is low' 'jobenv/include' '```' >page.md
}

check() { run "$SOURCE_DIR/tests/layers/check_layers" . folders.txt page.md; }

@test "a tree that keeps to its list" {
  check
  [ "$status" -eq 0 ]
}

@test "an include that points upwards is named with its file and line" {
  printf '%s\n' '// one line' '#include "cli/high/high.hpp"' >>jobenv/low/low.hpp
  check
  [ "$status" -eq 1 ]
  [ "$output" = 'jobenv/low/low.hpp:3: jobenv/low may not include cli/high/high.hpp: folders.txt does not allow jobenv/low to use cli/high' ]
}

@test "a folder that the list does not have, and an edge that no file needs" {
  mkdir cli/new
  echo '#include "cli/high/high.hpp"' >cli/new/new.cpp
  sed -i 's/^jobenv\/low:/& jobenv\/include/' folders.txt
  check
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = 'cli/new/new.cpp:1: its folder is not in folders.txt' ]
  [ "${lines[1]}" = 'folders.txt:3: no file of jobenv/low includes one of jobenv/include: remove the edge' ]
}

@test "an include that is written from the folder of its file, or in angle brackets, is seen, too" {
  printf '%s\n' '#include "../../cli/high/high.hpp"' '#include <ddp/jobenv/public.hpp>' '#include "jobenv/lost.hpp"' >>jobenv/low/low.hpp
  check
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = 'jobenv/low/low.hpp:2: jobenv/low may not include cli/high/high.hpp: folders.txt does not allow jobenv/low to use cli/high' ]
  [ "${lines[1]}" = 'jobenv/low/low.hpp:3: jobenv/low may not include jobenv/include/ddp/jobenv/public.hpp: folders.txt does not allow jobenv/low to use jobenv/include' ]
  [ "${lines[2]}" = 'jobenv/low/low.hpp:4: there is no jobenv/lost.hpp' ]
}

@test "a list with an edge upwards is refused" {
  sed -i 's/^jobenv\/low:/& cli\/high/' folders.txt
  check
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = 'folders.txt:3: jobenv/low names cli/high, which does not stand above it' ]
}

@test "a folder within one that is drawn has to be drawn itself" {
  mkdir cli/high/inner
  echo >cli/high/inner/inner.hpp
  echo 'cli/high/inner:' >>folders.txt
  check
  [ "$status" -eq 1 ]
  [ "$output" = 'page.md: cli/high/inner is in no drawing' ]
}

@test "a pure folder knows no file and no clock" {
  sed -i 's/^jobenv\/low:/jobenv\/low (pure):/' folders.txt
  check
  [ "$status" -eq 0 ]
  printf '%s\n' '#include <fstream>' 'const auto time = std::chrono::system_clock::now();' >>jobenv/low/low.hpp
  check
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = 'jobenv/low/low.hpp:2: jobenv/low is pure: #include <fstream>' ]
  [ "${lines[1]}" = 'jobenv/low/low.hpp:3: jobenv/low is pure: const auto time = std::chrono::system_clock::now();' ]
}

@test "a drawing that is not true: an edge that points upwards in it, a folder that it leaves out" {
  echo '#include "ddp/jobenv/public.hpp"' >>jobenv/low/low.hpp
  sed -i 's/^jobenv\/low:/& jobenv\/include/' folders.txt
  printf '%s\n' '## Drawings' '```' 'jobenv/include' 'jobenv/low  what is low' '```' >page.md
  check
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = 'page.md: cli/high is in no drawing' ]
  [ "${lines[1]}" = 'page.md:3: jobenv/low includes jobenv/include, which has to stand below it' ]
}

@test "a * stands for folders that are not named, which may include what it may" {
  mkdir -p cli/high/one cli/high/two
  echo '#include "jobenv/low/low.hpp"' >cli/high/one/one.cpp
  echo '#include "ddp/jobenv/public.hpp"' >cli/high/two/two.cpp
  echo 'cli/high/*: jobenv/low' >>folders.txt
  sed -i '0,/cli\/high /s//cli\/high\/* cli\/high /' page.md
  check
  [ "$status" -eq 1 ]
  [ "$output" = 'cli/high/two/two.cpp:1: cli/high/* may not include jobenv/include/ddp/jobenv/public.hpp: folders.txt does not allow cli/high/* to use jobenv/include' ]
}
