#include "cli/launchers/slurm/script/sbatch_options.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::Contains;
using testing::Not;

RunSpec slurm_spec() {
  RunSpec spec;
  spec.name = "job";
  spec.launcher = find_launcher("slurm");
  spec.resources.nodes = 2;
  spec.resources.tasks_per_node = 4;
  spec.resources.cpus_per_task = 8;
  spec.command = {"true"};
  return spec;
}

Expected<std::vector<std::string>> arguments_of(const RunSpec& spec,
                                                const std::string& folder = "/runs/job-1") {
  const RunFolder run_folder(folder);
  const auto options =
      make_sbatch_options({.spec = spec, .folder = run_folder, .work_dir = "/home/user", .token = "abc"});
  if (!options) return tl::unexpected(options.error());
  std::vector<std::string> arguments;
  for (const auto& option : *options) arguments.push_back(render_argument(option));
  return arguments;
}

TEST(SbatchOptions, GiveWhatEveryRunNeeds) {
  EXPECT_EQ(arguments_of(slurm_spec()).value(),
            (std::vector<std::string>{"--job-name=job", "--comment=ddpsubmit:abc", "--nodes=2",
                                      "--ntasks-per-node=4", "--cpus-per-task=8", "--no-requeue",
                                      "--chdir=/home/user", "--output=/runs/job-1/logs/slurm-%j.out",
                                      "--open-mode=append", "--export=ALL"}));
}

TEST(SbatchOptions, GiveGpusPerNodeUnlessGresNamesThem) {
  auto spec = slurm_spec();
  spec.resources.gpus_per_node = 4;
  EXPECT_THAT(arguments_of(spec).value(), Contains("--gpus-per-node=4"));
  spec.resources.gpu_type = "a40";
  EXPECT_THAT(arguments_of(spec).value(), Contains("--gpus-per-node=a40:4"));
  options_of<SlurmOptions>(spec).gres = "gpu:a40:4";
  EXPECT_THAT(arguments_of(spec).value(), Contains("--gres=gpu:a40:4"));
  EXPECT_THAT(arguments_of(spec).value(), Not(Contains(testing::StartsWith("--gpus-per-node"))));
}

TEST(SbatchOptions, GiveTimeAndMemoryInSlurmsUnits) {
  auto spec = slurm_spec();
  spec.resources.time = std::chrono::hours(50) + std::chrono::seconds(61);
  spec.resources.memory_bytes = std::uint64_t{64} << 30;
  EXPECT_THAT(arguments_of(spec).value(), Contains("--time=2-02:01:01"));
  EXPECT_THAT(arguments_of(spec).value(), Contains("--mem=65536M"));
  spec.resources.memory_bytes = 1'000'000;
  EXPECT_THAT(arguments_of(spec).value(), Contains("--mem=977K"));
}

TEST(SbatchOptions, AskForTheStopSignalOnlyWithATimeLimit) {
  auto spec = slurm_spec();
  spec.fault_tolerance.signal = "USR1";
  spec.fault_tolerance.signal_lead = std::chrono::seconds(90);
  EXPECT_THAT(arguments_of(spec).value(), Not(Contains("--signal=B:USR1@90")));
  spec.fault_tolerance.requeue = true;
  EXPECT_THAT(arguments_of(spec).value(), Contains("--signal=B:USR1@90")) << "before the partition's limit";
  EXPECT_THAT(arguments_of(spec).value(), Contains("--requeue"));
  spec.fault_tolerance.requeue = false;
  spec.resources.time = std::chrono::hours(1);
  EXPECT_THAT(arguments_of(spec).value(), Contains("--signal=B:USR1@90"));
}

TEST(SbatchOptions, DoublePercentInTheLiteralPartOfAPattern) {
  EXPECT_THAT(arguments_of(slurm_spec(), "/a%b/job-1").value(),
              Contains("--output=/a%%b/job-1/logs/slurm-%j.out"));
}

TEST(SbatchOptions, PassTheUsersOptionsOn) {
  auto spec = slurm_spec();
  options_of<SlurmOptions>(spec).options = {{"contiguous", ""}, {"nice", "100"}};
  EXPECT_THAT(arguments_of(spec).value(), Contains("--contiguous"));
  EXPECT_THAT(arguments_of(spec).value(), Contains("--nice=100"));
}

TEST(SbatchOptions, PutTheUsersCommentBehindTheToken) {
  auto spec = slurm_spec();
  options_of<SlurmOptions>(spec).comment = R"({"team": "it's \"us\""})";
  EXPECT_THAT(arguments_of(spec).value(), Contains(R"(--comment=ddpsubmit:abc {"team": "it's \"us\""})"));
}

TEST(SbatchOptions, ShareNodesWithNobodyElse) {
  auto spec = slurm_spec();
  options_of<SlurmOptions>(spec).exclusive = "nodes";
  EXPECT_THAT(arguments_of(spec).value(), Contains("--exclusive"));
  options_of<SlurmOptions>(spec).exclusive = "user";
  EXPECT_THAT(arguments_of(spec).value(), Contains("--exclusive=user"));
}

TEST(SbatchOptions, PutNodesIntoSegments) {
  auto spec = slurm_spec();
  options_of<SlurmOptions>(spec).segment = 2;
  EXPECT_THAT(arguments_of(spec).value(), Contains("--segment=2"));
}

std::vector<std::string> dependencies_of(const RunSpec& spec, const std::string& after) {
  const RunFolder folder("/runs/job-1");
  const auto options =
      make_sbatch_options({.spec = spec,
                           .folder = folder,
                           .work_dir = "/",
                           .token = "abc",
                           .array = SbatchArray{.tasks = "0-4", .at_once = 2, .after = after}});
  std::vector<std::string> values;
  for (const auto& option : options.value_or(std::vector<SbatchOption>{})) {
    if (option.name == "dependency") values.push_back(option.value);
  }
  return values;
}

TEST(SbatchOptions, ArraysOfASweepWaitForEachOtherAndForTheUsersJob) {
  auto spec = slurm_spec();
  EXPECT_THAT(dependencies_of(spec, ""), testing::IsEmpty());
  EXPECT_THAT(dependencies_of(spec, "7"), testing::ElementsAre("afterany:7"));
  options_of<SlurmOptions>(spec).dependency = "afterok:3";
  EXPECT_THAT(dependencies_of(spec, ""), testing::ElementsAre("afterok:3"));
  EXPECT_THAT(dependencies_of(spec, "7"), testing::ElementsAre("afterany:7,afterok:3"));
}

TEST(SbatchOptions, OfSrunAreThoseOfTheirKey) {
  auto spec = slurm_spec();
  options_of<SlurmOptions>(spec).srun_options = {{"cpu-bind", "none"}, {"overlap", ""}};
  std::vector<std::string> arguments;
  for (const auto& option : srun_options_of(spec)) arguments.push_back(render_argument(option));
  EXPECT_THAT(arguments, testing::ElementsAre("--cpu-bind=none", "--overlap"));
  options_of<SlurmOptions>(spec).srun_options = {{"cpu-bind", "a\nb"}};
  EXPECT_EQ(arguments_of(spec).error().message, "the value for srun's --cpu-bind holds a control character");
}

RunSpec spec_with_all_options() {
  auto spec = slurm_spec();
  spec.resources.gpus_per_node = 1;
  spec.resources.memory_bytes = 1;
  spec.resources.time = std::chrono::hours(1);
  spec.fault_tolerance.signal = "USR1";
  auto& slurm = options_of<SlurmOptions>(spec);
  for (auto* value :
       {&slurm.partition, &slurm.account, &slurm.qos, &slurm.reservation, &slurm.constraint, &slurm.nodelist,
        &slurm.exclude, &slurm.mail_user, &slurm.mail_type, &slurm.comment, &slurm.dependency}) {
    *value = "x";
  }
  slurm.exclusive = "nodes";
  return spec;
}

TEST(SbatchOptions, AreNotTakenFromTheUserTwice) {
  const RunFolder folder("/runs/job-1");
  for (const bool with_gres : {false, true}) {
    auto spec = spec_with_all_options();
    if (with_gres) options_of<SlurmOptions>(spec).gres = "gpu:1";
    const auto given = make_sbatch_options({.spec = spec, .folder = folder, .work_dir = "/", .token = "abc"});
    ASSERT_TRUE(given);
    EXPECT_GE(given->size(), 24u);
    for (const auto& option : *given) {
      if (option.name == "job-name") continue;  // stands in place of ours
      auto twice = slurm_spec();
      options_of<SlurmOptions>(twice).options = {{option.name, "1"}};
      const auto arguments = arguments_of(twice);
      ASSERT_FALSE(arguments) << option.name;
      EXPECT_EQ(arguments.error().code, ExitCode::config_invalid);
    }
  }
}

TEST(SbatchOptions, RefuseControlCharacters) {
  auto spec = slurm_spec();
  options_of<SlurmOptions>(spec).account = "a\n#SBATCH --nice=500";
  ASSERT_FALSE(arguments_of(spec));
  EXPECT_EQ(arguments_of(spec).error().message, "the value for sbatch's --account holds a control character");
}

TEST(SbatchOptions, EscapeTheRecord) {
  EXPECT_EQ(render_directive({"exclusive", ""}), "--exclusive");
  EXPECT_EQ(render_directive({"constraint", "a&b|c"}), "--constraint=\"a&b|c\"");
  EXPECT_EQ(render_directive({"account", "it's #1"}), "--account=\"it's #1\"");
  EXPECT_EQ(render_directive({"account", R"("\$`)"}), R"(--account="\"\\\$\`")");
}

}  // namespace
}  // namespace ddp::cli
