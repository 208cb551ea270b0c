#include "cli/launch/program_libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobenv/record/durable_file.hpp"
#include "tests/support/fake_command_runner.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ProgramLibraries, AreAskedForFromTheLoaderOfTheProgram) {
  RealCommandRunner runner;
  EXPECT_TRUE(find_program_loader("/proc/self/exe").starts_with("/"));
  EXPECT_THAT(find_missing_libraries("/proc/self/exe", EnvMap::capture(), runner), IsEmpty());
}

TEST(ProgramLibraries, OfAScriptAreNotLookedFor) {
  const TemporaryFolder folder;
  (void)save_file(folder / "script", "#!/bin/sh\nexit 1\n", Durability::visible);
  FakeCommandRunner runner;
  EXPECT_THAT(find_missing_libraries(folder / "script", EnvMap(), runner), IsEmpty());
  EXPECT_THAT(find_missing_libraries(folder / "absent", EnvMap(), runner), IsEmpty());
  EXPECT_TRUE(runner.requests.empty());
}

}  // namespace
}  // namespace ddp::cli
