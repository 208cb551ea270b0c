#include "cli/launchers/launcher_row.hpp"

#include <gtest/gtest.h>

#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/spec/run_spec.hpp"
#include "tests/support/use_launcher.hpp"

namespace ddp::cli {
namespace {

TEST(LauncherRow, IsFoundByItsName) {
  for (const auto* launcher : all_launchers()) EXPECT_EQ(find_launcher(launcher->name), launcher);
  EXPECT_EQ(find_launcher("no-such-launcher"), nullptr);
}

TEST(LauncherRow, OneRunsItsRanksHere) {
  EXPECT_EQ(launcher_here().ranks_run, RanksRun::here);
  EXPECT_EQ(&launcher_here(), all_launchers().front());
}

TEST(LauncherRow, HasTheTraitsThatTheTestsOfTheAgentUse) {
  for (const char* name : {"local", "slurm", "ssh"})
    EXPECT_EQ(traits_for_test(name), find_launcher(name)->traits) << name;
}

TEST(LauncherSections, AreCopiedWithTheSpec) {
  RunSpec spec;
  options_of<SlurmOptions>(spec).partition = "gpu";
  RunSpec copy = spec;
  EXPECT_EQ(copy, spec);
  options_of<SlurmOptions>(copy).partition = "cpu";
  EXPECT_EQ(options_of<SlurmOptions>(spec).partition, "gpu");
  EXPECT_NE(copy, spec);
  copy = RunSpec{};
  EXPECT_FALSE(options_of<SlurmOptions>(copy).partition);
}

}  // namespace
}  // namespace ddp::cli
