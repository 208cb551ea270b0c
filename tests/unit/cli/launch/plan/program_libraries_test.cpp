#include "cli/launch/plan/program_libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/fake_command_runner.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ProgramLibraries, AreAskedForFromTheLoaderOfTheProgram) {
  RealCommandRunner runner;
  EXPECT_TRUE(find_program_loader("/proc/self/exe").starts_with("/"));
  const auto missing = find_missing_libraries("/proc/self/exe", EnvMap::capture(), runner);
  EXPECT_THAT(missing.names, IsEmpty());
  EXPECT_EQ(missing.unknown_loader, "");
}

TEST(ProgramLibraries, OfAScriptAreNotLookedFor) {
  const TemporaryFolder folder;
  (void)save_file(folder / "script", "#!/bin/sh\nexit 1\n", Durability::visible);
  FakeCommandRunner runner;
  EXPECT_THAT(find_missing_libraries(folder / "script", EnvMap(), runner).names, IsEmpty());
  EXPECT_THAT(find_missing_libraries(folder / "absent", EnvMap(), runner).names, IsEmpty());
  EXPECT_TRUE(runner.requests.empty());
}

TEST(ProgramLibraries, AreListedAsEachLoaderDoesIt) {
  const auto glibc = make_library_listing("/lib64/ld-linux-x86-64.so.2", "/p", EnvMap());
  EXPECT_THAT(glibc->argv, ElementsAre("/lib64/ld-linux-x86-64.so.2", "/p"));
  EXPECT_EQ(glibc->environment.get("LD_TRACE_LOADED_OBJECTS"), "1");
  const auto musl = make_library_listing("/lib/ld-musl-x86_64.so.1", "/p", EnvMap());
  EXPECT_THAT(musl->argv, ElementsAre("/lib/ld-musl-x86_64.so.1", "--list", "/p"));
  EXPECT_FALSE(make_library_listing("/system/bin/linker64", "/p", EnvMap())) << "it would run the program";
}

}  // namespace
}  // namespace ddp::cli
