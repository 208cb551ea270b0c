#include "cli/launchers/slurm/keys/srun_option_names.hpp"
#include "cli/launchers/slurm/keys/pyxis_option_names.hpp"
#include "cli/launchers/slurm/keys/sbatch_option_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ddp::cli {
namespace {

std::string judge_srun_option(std::string_view name) {
  const auto checked = check_option_name(name, srun_options);
  return checked ? "good" : checked.error().message + "; " + checked.error().hint;
}

TEST(SrunOptionNames, OfPlugInsAndOfNewerVersionsAreGood) {
  for (const char* name : {"container-image", "container-mounts", "no-container-mount-home", "auto-resume"})
    EXPECT_EQ(judge_srun_option(name), "good") << name;
}

TEST(SrunOptionNames, ThatPlaceTheRanksOnTheirNodesAreGood) {
  for (const char* name : {"cpu-bind", "mem-bind", "gpu-bind", "network", "hint", "overlap", "task-prolog"})
    EXPECT_EQ(judge_srun_option(name), "good") << name;
}

TEST(SrunOptionNames, ThatDdpAgentSetsAreRefusedWithTheKey) {
  EXPECT_EQ(judge_srun_option("nodes"), "srun's '--nodes' has a key of its own; use resources.nodes");
  EXPECT_EQ(judge_srun_option("n"),
            "'n' is an abbreviation of srun's '--ntasks', which has a key of its own; use "
            "resources.tasks_per_node");
  EXPECT_EQ(judge_srun_option("export"), "srun's '--export' has a key of its own; use environment");
  EXPECT_EQ(judge_srun_option("mpi"), "srun's '--mpi' has a key of its own; use slurm.mpi");
}

TEST(SrunOptionNames, ThatWouldBreakARunAreRefusedWithTheReason) {
  EXPECT_EQ(judge_srun_option("job-name"),
            "srun's '--job-name' is set by ddp-agent, which finds its job step by this name; use name, the "
            "name of the run and its job");
  EXPECT_EQ(judge_srun_option("label"),
            "srun's '--label' is set by ddp-agent: the output of ranks goes to files in the run folder; show "
            "the output: ddpsubmit logs");
  for (const char* name : {"distribution", "relative", "kill-on-bad-exit", "wait", "multi-prog", "pty",
                           "output", "signal", "time", "test-only", "preserve-env", "bcast", "async"})
    EXPECT_THAT(judge_srun_option(name), testing::StartsWith("srun's '--" + std::string(name) + "' "))
        << name;
}

TEST(SrunOptionNames, OfTheWholeJobAreRefusedWithWhereTheyBelong) {
  EXPECT_EQ(judge_srun_option("partition"),
            "srun's '--partition' applies to the whole job, which is already running when srun starts; use "
            "slurm.partition");
  EXPECT_EQ(judge_srun_option("licenses"),
            "srun's '--licenses' applies to the whole job, which is already running when srun starts; use "
            "slurm.options.licenses");
}

TEST(SrunOptionNames, OfTheWholeJobHaveAnotherPlace) {
  constexpr std::string_view kPlace = "use slurm.options.";
  for (const auto& option : srun_options.options) {
    if (!option.remedy.starts_with(kPlace)) continue;
    const std::string name(option.remedy.substr(kPlace.size()));
    EXPECT_TRUE(check_option_name(name, sbatch_options)) << name;
  }
}

TEST(SrunOptionNames, AreInTheirOrderAndThereOnce) {
  for (const auto* known : {&srun_options, &sbatch_options}) {
    const auto rows = known->options;
    EXPECT_TRUE(std::ranges::is_sorted(rows, std::ranges::less_equal{}, &OptionName::name)) << known->program;
  }
}

TEST(SrunOptionNames, HaveLettersOfTheirOwn) {
  for (const auto* known : {&srun_options, &sbatch_options}) {
    for (const auto& option : known->options) {
      if (option.letter != 0) {
        EXPECT_EQ(find_option_letter(option.letter, *known), &option) << known->program << " " << option.name;
      }
    }
  }
}

TEST(SrunOptionNames, OfPyxisAreNotThoseOfSlurm) {
  EXPECT_TRUE(std::ranges::is_sorted(pyxis_options.options, std::ranges::less_equal{}, &OptionName::name));
  for (const auto& option : pyxis_options.options)
    EXPECT_EQ(find_option_name(option.name, srun_options), nullptr) << option.name;
}

TEST(SrunOptionNames, TakeAValueOrNone) {
  EXPECT_EQ(check_option_value("cpu-bind", "", srun_options).error().message,
            "srun's '--cpu-bind' needs a value");
  EXPECT_EQ(check_option_value("overlap", "1", srun_options).error().hint, "write overlap: \"\"");
  EXPECT_TRUE(check_option_value("overlap", "", srun_options));
  EXPECT_TRUE(check_option_value("container-image", "a.sqsh", srun_options));
}

}  // namespace
}  // namespace ddp::cli
