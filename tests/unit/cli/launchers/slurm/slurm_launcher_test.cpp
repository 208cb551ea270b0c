#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/launch/launchers.hpp"
#include "tests/support/fake_system.hpp"

namespace ddp::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class SlurmLauncherTest : public testing::Test {
 protected:
  SlurmLauncherTest() {
    request.spec.name = "job";
    request.spec.launcher = find_launcher("slurm");
    request.spec.command = {"true"};
    request.plan.agent = "/bin/ddp-agent";
    request.plan.run_id = "job-1";
    request.plan.run_dir = "/runs/job-1";
    request.plan.work_dir = "/home/user";
  }
  void SetUp() override { use_environment({{"PATH", "/usr/bin"}}); }

  void use_environment(std::map<std::string, std::string> variables) {
    launcher = std::move(*make_launcher("slurm", {outside.system(), EnvMap(std::move(variables))}));
  }
  Expected<Submission> submit() { return launcher->submit(request, Attachment::detached, -1); }
  static RunStatus job(const std::string& id) {
    RunStatus status;
    status.state = RunState::queued;
    status.job_id = id;
    return status;
  }
  static std::string queue_row(const std::string& id) {
    return id + "|11|RUNNING|N/A|N/A|None|1799999999|somebody|job|ddpsubmit:cafe\n";
  }
  std::vector<std::string> asked(std::size_t index) const { return outside.runner.requests.at(index).argv; }

  FakeSystem outside;
  std::unique_ptr<Launcher> launcher;
  LaunchRequest request{.spec = {},
                        .plan = {},
                        .folder = RunFolder("/runs/job-1"),
                        .environment = EnvMap({{"HOME", "/home/u"}, {"SQUEUE_FORMAT", "x"}}),
                        .token = "cafe"};
};

TEST_F(SlurmLauncherTest, SubmitsTheScriptWithTheOptionsAsArguments) {
  outside.runner.answer(0, "77;gpu\n", "sbatch: some warning");
  const auto submission = submit();
  ASSERT_TRUE(submission);
  EXPECT_EQ(submission->job_id, "77");
  EXPECT_EQ(submission->cluster, "gpu");
  EXPECT_EQ(asked(0).front(), "sbatch");
  EXPECT_EQ(asked(0).at(1), "--parsable");
  EXPECT_EQ(asked(0).back(), "/runs/job-1/script.sbatch");
  EXPECT_THAT(asked(0), Contains("--comment=ddpsubmit:cafe"));
  EXPECT_GE(outside.runner.requests[0].timeout, std::chrono::seconds(130))
      << "sbatch itself tries for two minutes";
}

TEST_F(SlurmLauncherTest, GivesSbatchTheJobsEnvironmentAndTheCluster) {
  use_environment({{"SLURM_CONF", "/etc/other.conf"}, {"SECRET", "s"}});
  outside.runner.answer(0, "77\n");
  ASSERT_TRUE(submit());
  EXPECT_EQ(outside.runner.requests[0].environment,
            EnvMap({{"DDPSUBMIT_TOKEN", "cafe"}, {"HOME", "/home/u"}, {"SLURM_CONF", "/etc/other.conf"}}));
}

TEST_F(SlurmLauncherTest, RepeatsSlurmsWordsWhenItRefuses) {
  outside.runner.answer(1, "",
                        "sbatch: error: invalid partition specified: x\n"
                        "sbatch: error: Batch job submission failed: Invalid partition name specified\n");
  const auto submission = submit();
  ASSERT_FALSE(submission);
  EXPECT_EQ(submission.error().code, ExitCode::scheduler_refused);
  EXPECT_THAT(submission.error().message, HasSubstr("invalid partition specified: x"));
}

TEST_F(SlurmLauncherTest, SaysThatNothingWasQueuedWhenTheControllerWasNotReached) {
  outside.runner.answer(1, "",
                        "sbatch: error: Batch job submission failed: Unable to contact slurm controller "
                        "(connect failure)\n");
  const auto submission = submit();
  ASSERT_FALSE(submission);
  EXPECT_EQ(submission.error().code, ExitCode::preflight_failed);
  EXPECT_THAT(submission.error().message, HasSubstr("connect failure"));
  EXPECT_EQ(submission.error().hint, "nothing was queued; try again: ddpsubmit rerun job-1");
}

TEST_F(SlurmLauncherTest, ForbidsTheRequeueBeforeItCancelsAllAtOnce) {
  const std::vector<RunStatus> runs{job("11"), job(""), job("12_3")};
  outside.runner.answer(0, "11|ddpsubmit:cafe\n12|ddpsubmit:cafe\n");
  outside.runner.answer(0, queue_row("11") + queue_row("12_3"));
  const auto results = launcher->cancel(runs);
  EXPECT_EQ(asked(1).back(), "--jobs=11,12_3");
  EXPECT_THAT(asked(2), ElementsAre("scontrol", "update", "JobId=11,12_3", "Requeue=0"));
  EXPECT_THAT(asked(3), ElementsAre("scancel", "11", "12_3"));
  EXPECT_EQ(outside.runner.requests.size(), 4u);
  EXPECT_TRUE(results.at(0));
  EXPECT_EQ(results.at(1).error().code, ExitCode::outcome_unknown) << "its job is not known";
  EXPECT_TRUE(results.at(2));
}

TEST_F(SlurmLauncherTest, CancelsTheTwinsThatATokenOrTheRecordsTellOf) {
  auto run = job("11");
  run.token = "cafe";
  auto point = job("20_3");
  point.twin_jobs = {"21_3"};
  outside.runner.answer(0, "13|ddpsubmit:cafe\n11|ddpsubmit:cafe\n20|theirs\n21|theirs\n22|theirs\n");
  outside.runner.answer(0, queue_row("11") + queue_row("13") + queue_row("20_3") + queue_row("21_3"));
  (void)launcher->cancel(std::vector{run, point});
  EXPECT_EQ(asked(1).back(), "--jobs=11,20_3,13,21_3");
  EXPECT_THAT(asked(3), ElementsAre("scancel", "11", "20_3", "13", "21_3"));
}

TEST_F(SlurmLauncherTest, ReleasesARequeuedJobOnceItHasLeftItsNodes) {
  outside.runner.answer(0, "JobId=11 JobState=COMPLETING Reason=None Restarts=1 BatchFlag=1\n");
  EXPECT_EQ(launcher->queue()->release(job("11")), Hold::not_yet);
  outside.runner.answer(0, "JobId=11 JobState=PENDING Reason=BeginTime Restarts=1 BatchFlag=1\n");
  outside.runner.answer(0, "");
  EXPECT_EQ(launcher->queue()->release(job("11")), Hold::released);
  EXPECT_THAT(asked(2), ElementsAre("scontrol", "update", "JobId=11", "StartTime=now+2"));
}

TEST_F(SlurmLauncherTest, LeavesTheBeginOfAJobThatWasNeverStarted) {
  outside.runner.answer(0, "JobId=11 JobState=PENDING Reason=BeginTime Restarts=0 BatchFlag=1\n");
  EXPECT_EQ(launcher->queue()->release(job("11")), Hold::none);
  EXPECT_EQ(outside.runner.requests.size(), 1u);
}

TEST_F(SlurmLauncherTest, CancelsAJobThatIsGoneWithoutComplaint) {
  outside.runner.answer(0, "");
  outside.runner.answer(0, queue_row("11"));
  outside.runner.answer(1, "", "Invalid job id specified");
  outside.runner.answer(1, "", "scancel: error: Kill job error on job id 11: Invalid job id specified");
  const std::vector<RunStatus> runs{job("11")};
  EXPECT_TRUE(launcher->cancel(runs).at(0));
}

TEST_F(SlurmLauncherTest, LeavesAJobThatHasTheIdOfOursAlone) {
  auto run = job("11");
  run.token = "beef";
  outside.runner.answer(0, "");
  outside.runner.answer(0, queue_row("11"));
  EXPECT_TRUE(launcher->cancel(std::span(&run, 1)).at(0));
  run.token = "";
  run.name = "another";
  outside.runner.answer(0, "");
  outside.runner.answer(0, queue_row("11"));
  EXPECT_TRUE(launcher->cancel(std::span(&run, 1)).at(0));
  EXPECT_EQ(outside.runner.requests.size(), 4u);
}

TEST_F(SlurmLauncherTest, CancelsNothingWhileNobodyProvesWhoseJobItIs) {
  outside.runner.answer(1, "", "slurm_load_jobs error: Unable to contact slurm controller");
  const std::vector<RunStatus> runs{job("11")};
  EXPECT_EQ(launcher->cancel(runs).at(0).error().code, ExitCode::outcome_unknown);
  EXPECT_EQ(outside.runner.requests.size(), 1u);
}

TEST_F(SlurmLauncherTest, CannotCancelWithoutAJobId) {
  const std::vector<RunStatus> runs{job("")};
  EXPECT_EQ(launcher->cancel(runs).at(0).error().code, ExitCode::outcome_unknown);
  EXPECT_TRUE(outside.runner.requests.empty());
}

}  // namespace
}  // namespace ddp::cli
