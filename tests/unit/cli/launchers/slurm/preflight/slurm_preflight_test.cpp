#include "cli/launchers/slurm/preflight/slurm_preflight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class SlurmPreflightTest : public testing::Test {
 protected:
  SlurmPreflightTest() {
    request.spec.name = "job";
    request.spec.launcher = find_launcher("slurm");
    request.spec.command = {"true"};
    for (const char* tool : {"sbatch", "squeue", "sinfo", "scontrol", "scancel"}) {
      (void)save_file(tools / tool, "#!/bin/sh\n", Durability::visible);
      std::filesystem::permissions(tools / tool, std::filesystem::perms::owner_all);
    }
  }
  Preflight check() {
    return check_with_slurm(request, SlurmTools({outside.system(), EnvMap().set("PATH", tools.path()), {}}));
  }
  void answer_cluster() { outside.runner.answer(0, "debug*|up|1:00:00|1-2|3|4|4000|(null)|gpu:2\n"); }
  Error only_error() {
    const auto found = check();
    EXPECT_EQ(found.errors.size(), 1u);
    return found.errors.empty() ? Error{} : found.errors.front();
  }

  TemporaryFolder tools;
  FakeSystem outside;
  LaunchRequest request{
      .spec = {}, .plan = {}, .folder = RunFolder("/runs/job-1"), .environment = {}, .token = "cafe"};
};

TEST_F(SlurmPreflightTest, AsksForTheLimitsAndWhetherTheJobCouldStart) {
  answer_cluster();
  outside.runner.answer(0, "", "sbatch: Job 5 to start at …");
  EXPECT_THAT(check().errors, IsEmpty());
  ASSERT_EQ(outside.runner.requests.size(), 2u);
  EXPECT_EQ(outside.runner.requests[0].argv.front(), "sinfo");
  EXPECT_EQ(outside.runner.requests[1].argv.at(1), "--test-only");
  EXPECT_THAT(outside.runner.requests[1].argv, Contains("--nodes=1"));
}

TEST_F(SlurmPreflightTest, NamesEveryLimitAndThenNeedsNoWordOfSlurm) {
  answer_cluster();
  request.spec.resources.time = std::chrono::hours(2);
  request.spec.resources.gpus_per_node = 3;
  const auto found = check();
  ASSERT_EQ(found.errors.size(), 2u);
  EXPECT_THAT(found.errors[0].message, HasSubstr("ends jobs after 1h"));
  EXPECT_THAT(found.errors[1].message, HasSubstr("at most 2 GPUs"));
  EXPECT_EQ(outside.runner.requests.size(), 2u) << "whether sinfo has shown all nodes";
}

TEST_F(SlurmPreflightTest, WarnsOfOptionsThatSrunDoesNotKnowHere) {
  options_of<SlurmOptions>(request.spec).srun_options = {{"auto-resume", "1"}};
  answer_cluster();
  outside.runner.answer(0, "", "sbatch: Job 5 to start at …");
  outside.runner.answer(1, "", "/usr/bin/srun: unrecognized option '--auto-resume=1'\nTry \"srun --help\"\n");
  const auto found = check();
  EXPECT_THAT(found.errors, IsEmpty());
  EXPECT_THAT(found.warnings,
              testing::ElementsAre("srun does not take slurm.srun_options on this host: unrecognized option "
                                   "'--auto-resume=1'; if it does not on the nodes, the run will fail"));
  EXPECT_THAT(outside.runner.requests[2].argv, testing::ElementsAre("srun", "--auto-resume=1", "--version"));
}

TEST_F(SlurmPreflightTest, SaysNothingOfOptionsThatSrunTakes) {
  options_of<SlurmOptions>(request.spec).srun_options = {{"cpu-bind", "none"}};
  answer_cluster();
  outside.runner.answer(0, "", "sbatch: Job 5 to start at …");
  outside.runner.answer(0, "slurm 22.05.8\n");
  EXPECT_THAT(check().warnings, IsEmpty());
}

TEST_F(SlurmPreflightTest, LeavesItToSbatchWhereSinfoHidesNodes) {
  answer_cluster();
  outside.runner.answer(
      0, "PartitionName=debug State=UP TotalCPUs=400 TotalNodes=100 SelectTypeParameters=NONE\n");
  outside.runner.answer(0, "", "sbatch: Job 5 to start at …");
  request.spec.resources.gpus_per_node = 3;
  EXPECT_THAT(check().errors, IsEmpty());
  EXPECT_EQ(outside.runner.requests[2].argv.at(1), "--test-only");
}

TEST_F(SlurmPreflightTest, OnlyWarnsOfNodesThatAreOutOfService) {
  const auto check_with = [this](const std::string& out_of_service) {
    answer_cluster();
    outside.runner.answer(1, "", "allocation failure: Requested node configuration is not available");
    outside.runner.answer(0, out_of_service);
    return check();
  };
  const auto waits = check_with("1\n");
  EXPECT_THAT(waits.errors, IsEmpty());
  EXPECT_THAT(waits.warnings,
              Contains(HasSubstr("the run will wait: nodes are down, drained or not yet registered")));
  EXPECT_EQ(check_with("").errors.size(), 1u) << "all nodes are in service, and none will do";
}

TEST_F(SlurmPreflightTest, LeavesToSbatchWhatADefaultQosMayLift) {
  const auto check_with = [this](const std::string& flags) {
    answer_cluster();
    outside.runner.answer(0, "PartitionName=debug State=UP TotalNodes=3\n");
    outside.runner.answer(0, "normal|\nlong|" + flags + "\n");
    return check();
  };
  request.spec.resources.time = std::chrono::hours(2);
  EXPECT_THAT(check_with("DenyOnLimit").errors.at(0).message, HasSubstr("ends jobs after 1h"));
  EXPECT_THAT(check_with("OverPartQOS,PartitionTimeLimit").errors, IsEmpty());
  EXPECT_EQ(outside.runner.requests.back().argv.at(1), "--test-only");
  request.spec.resources.gpus_per_node = 3;
  EXPECT_EQ(check_with("PartitionTimeLimit").errors.size(), 2u) << "one of them no QOS lifts";
}

// sbatch --test-only 22.05 does so.
TEST_F(SlurmPreflightTest, OnlyWarnsOfALimitThatAQosMayLiftAndSbatchHolds) {
  answer_cluster();
  outside.runner.answer(0, "PartitionName=debug State=UP TotalNodes=3\n");
  outside.runner.answer(1, "", "allocation failure: Requested node configuration is not available");
  request.spec.resources.nodes = 3;
  options_of<SlurmOptions>(request.spec).qos = "wide";
  const auto found = check();
  EXPECT_THAT(found.errors, IsEmpty());
  EXPECT_THAT(found.warnings, Contains(HasSubstr("allows at most 2 per job; the run waits, unless its QOS")));
}

TEST_F(SlurmPreflightTest, SaysInItsOwnWordsThatThereIsNoConfiguration) {
  outside.runner.answer(1, "",
                        "sinfo: error: fetch_config: DNS SRV lookup failed\n"
                        "sinfo: fatal: Could not establish a configuration source\n");
  const auto error = only_error();
  EXPECT_THAT(error.message, HasSubstr("no slurm.conf that they can read (sinfo: fatal: Could not"));
  EXPECT_THAT(error.hint, HasSubstr("launcher=local"));
  EXPECT_EQ(outside.runner.requests.size(), 1u);
}

TEST_F(SlurmPreflightTest, RepeatsSlurmsWordsWithWhatToDo) {
  answer_cluster();
  outside.runner.answer(1, "",
                        "allocation failure: Invalid account or account/partition combination specified");
  const auto error = only_error();
  EXPECT_EQ(error.code, ExitCode::preflight_failed);
  EXPECT_THAT(error.message, HasSubstr("Invalid account"));
  EXPECT_THAT(error.hint, HasSubstr("set slurm.account"));
}

TEST_F(SlurmPreflightTest, TakesWordsOfASitesPluginForARefusal) {
  answer_cluster();
  outside.runner.answer(1, "", "sbatch: error: lua: name a project\nallocation failure: Unspecified error");
  EXPECT_THAT(only_error().message, HasSubstr("name a project"));
}

TEST_F(SlurmPreflightTest, TakesSilenceForNoRefusal) {
  for (const char* words :
       {"Unable to contact slurm controller (connect failure)", "Socket timed out on send/recv operation"}) {
    answer_cluster();
    outside.runner.answer(1, "", std::string("allocation failure: ") + words + "\n");
    const auto error = only_error();
    EXPECT_EQ(error.code, ExitCode::preflight_failed);
    EXPECT_THAT(error.message, HasSubstr(words));
    EXPECT_EQ(error.hint, "nothing was submitted; try again");
  }
  answer_cluster();
  outside.runner.answers.push_back({.end = CommandResult::End::timed_out, .code = 9, .out = {}, .err = {}});
  EXPECT_THAT(only_error().message, HasSubstr("no answer"));
}

TEST_F(SlurmPreflightTest, SaysSinceWhenSeveralQosAreTaken) {
  for (const std::string qos : {"fast", "fast,slow"}) {
    options_of<SlurmOptions>(request.spec).qos = qos;
    answer_cluster();
    outside.runner.answer(1, "", "allocation failure: Invalid qos specification");
    EXPECT_EQ(only_error().hint.ends_with("; a list of several needs Slurm 24.11 or later"), qos != "fast");
  }
}

TEST_F(SlurmPreflightTest, NamesTheKeyOfAnOptionThatSbatchDoesNotKnow) {
  for (const auto& [option, key] : {std::pair{"segment=2", "slurm.segment"},
                                    std::pair{"spread-segments", "slurm.options.spread-segments"}}) {
    request.spec.origins.by_path[key] = place_at(make_argument_source(key, ""), 0);
    answer_cluster();
    outside.runner.answer(1, "", std::string("sbatch: unrecognized option '--") + option + "'\nTry ...");
    const auto error = only_error();
    EXPECT_THAT(error.hint, StartsWith(std::string("take out ") + key + ": sbatch"));
    ASSERT_TRUE(error.where);
    EXPECT_EQ(error.where->text, key);
  }
}

TEST_F(SlurmPreflightTest, OnlyWarnsOfAFullQueue) {
  for (const char* words : {"Resource temporarily unavailable", "MaxJobCount limit reached"}) {
    answer_cluster();
    outside.runner.answer(1, "", std::string("allocation failure: ") + words);
    const auto found = check();
    EXPECT_THAT(found.errors, IsEmpty()) << words;
    EXPECT_THAT(found.warnings, Contains(HasSubstr("full"))) << words;
  }
}

TEST_F(SlurmPreflightTest, AsksASilentControllerOnce) {
  outside.runner.answer(1, "", "slurm_load_partitions: Unable to contact slurm controller (connect failure)");
  EXPECT_THAT(only_error().message, HasSubstr("connect failure"));
  EXPECT_EQ(outside.runner.requests.size(), 1u);
}

TEST_F(SlurmPreflightTest, LeavesItToSbatchWhenSinfoFails) {
  outside.runner.answer(1, "", "sinfo: error: Unrecognized option: --exact");
  outside.runner.answer(0, "", "");
  EXPECT_THAT(check().errors, IsEmpty());
}

TEST_F(SlurmPreflightTest, NamesAToolThatIsMissing) {
  std::filesystem::remove(tools / "scancel");
  const auto error = only_error();
  EXPECT_EQ(error.code, ExitCode::preflight_failed);
  EXPECT_THAT(error.message, HasSubstr("scancel"));
  EXPECT_TRUE(outside.runner.requests.empty());
}

}  // namespace
}  // namespace ddp::cli
