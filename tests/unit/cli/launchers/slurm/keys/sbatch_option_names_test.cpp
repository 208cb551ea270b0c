#include "cli/launchers/slurm/keys/sbatch_option_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ddp::cli {
namespace {

std::string verdict(std::string_view name) {
  const auto checked = check_option_name(name, sbatch_options);
  return checked ? "good" : checked.error().message + "; " + checked.error().hint;
}

TEST(SbatchOptionNames, AreGoodWhenNothingElseSetsThem) {
  for (const char* name : {"nice", "contiguous", "wait-all-nodes", "time-min", "gres-flags"})
    EXPECT_EQ(verdict(name), "good") << name;
}

TEST(SbatchOptionNames, AreGoodWhenANewerSlurmMayHaveThem) {
  EXPECT_EQ(verdict("levitate"), "good");
  EXPECT_EQ(verdict("nodes-of-steel"), "good");
}

TEST(SbatchOptionNames, AreRefusedWithTheKeyThatSetsThem) {
  EXPECT_EQ(verdict("nodes"), "sbatch's '--nodes' has a key of its own; use resources.nodes");
  EXPECT_EQ(verdict("tasks-per-node"),
            "sbatch's '--tasks-per-node' has a key of its own; use resources.tasks_per_node");
  EXPECT_EQ(verdict("ntasks"), "sbatch's '--ntasks' has a key of its own; use resources.tasks_per_node");
  for (const std::string name : {"comment", "dependency", "exclusive", "output", "segment"})
    EXPECT_EQ(verdict(name), "sbatch's '--" + name + "' has a key of its own; use slurm." + name);
  for (const std::string name : {"mem-per-cpu", "mem-per-gpu"}) {
    EXPECT_EQ(verdict(name), "sbatch's '--" + name +
                                 "' is not supported: Slurm takes one memory limit, and ddpsubmit sets the "
                                 "limit per node; use resources.memory, the memory per node");
  }
}

TEST(SbatchOptionNames, AreRefusedWhenDdpsubmitReliesOnThem) {
  for (const char* name :
       {"array", "chdir", "error", "help", "open-mode", "parsable", "test-only", "version", "wait", "wrap"}) {
    EXPECT_EQ(verdict(name), "sbatch's '--" + std::string(name) + "' is set by ddpsubmit itself; remove it");
  }
}

TEST(SbatchOptionNames, OfOtherClustersAreRefusedWithTheReason) {
  const std::string reason =
      " is not supported: ddpsubmit works with the cluster of the host it runs on; submit on a host of that "
      "cluster";
  EXPECT_EQ(verdict("clusters"), "sbatch's '--clusters'" + reason);
  EXPECT_EQ(verdict("cluster"), "sbatch's '--cluster'" + reason);
  EXPECT_EQ(verdict("M"), "'M' is an abbreviation of sbatch's '--clusters', which" + reason);
  EXPECT_EQ(verdict("-M"), "'-M' is an abbreviation of sbatch's '--clusters', which" + reason);
}

TEST(SbatchOptionNames, AreWrittenOut) {
  EXPECT_EQ(verdict("node"),
            "'node' is an abbreviation of several options of sbatch; write the full name: nodefile, nodelist "
            "or nodes");
  EXPECT_EQ(
      verdict("part"),
      "'part' is an abbreviation of sbatch's '--partition', which has a key of its own; use slurm.partition");
  EXPECT_EQ(verdict("wra"),
            "'wra' is an abbreviation of sbatch's '--wrap', which is set by ddpsubmit itself; remove it");
  EXPECT_EQ(verdict("spread-j"),
            "'spread-j' is an abbreviation of sbatch's '--spread-job'; write it out: spread-job");
}

TEST(SbatchOptionNames, HaveMoreThanOneLetter) {
  EXPECT_EQ(verdict("n"),
            "'n' is an abbreviation of sbatch's '--ntasks', which has a key of its own; use "
            "resources.tasks_per_node");
  EXPECT_EQ(verdict("H"), "'H' is an abbreviation of sbatch's '--hold'; write it out: hold");
  EXPECT_THAT(verdict("7"), testing::StartsWith("'7' is not a long option of sbatch"));
}

TEST(SbatchOptionNames, AreAbbreviatedInNoWayThatMeansAnotherKey) {
  for (const std::string name :
       {"nodes", "time", "partition", "ntasks-per-node", "output", "wrap", "signal"}) {
    for (std::size_t length = 1; length < name.size(); ++length) {
      EXPECT_NE(verdict(name.substr(0, length)), "good") << name.substr(0, length);
    }
  }
}

TEST(SbatchOptionNames, HaveNoDashesInFrontAndNoOtherCharacters) {
  EXPECT_EQ(verdict("--verbose"), "'--verbose' is not a long option of sbatch; did you mean 'verbose'?");
  EXPECT_EQ(verdict("cpu_freq"), "'cpu_freq' is not a long option of sbatch; did you mean 'cpu-freq'?");
  EXPECT_EQ(verdict("--nodes"), "sbatch's '--nodes' has a key of its own; use resources.nodes");
  for (const char* name : {"", "-", "--", "a b", "x=1", "ü"})
    EXPECT_THAT(verdict(name), testing::HasSubstr("is not a long option of sbatch")) << name;
}

}  // namespace
}  // namespace ddp::cli
