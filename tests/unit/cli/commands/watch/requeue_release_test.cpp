#include "cli/commands/watch/requeue_release.hpp"

#include <gtest/gtest.h>

#include "cli/launch/launchers.hpp"
#include "tests/support/fake_system.hpp"

namespace ddp::cli {
namespace {

class RequeueReleaseTest : public testing::Test {
 protected:
  static RunStatus requeued(const std::string& job_id) {
    RunStatus run;
    run.state = RunState::queued;
    run.job_id = job_id;
    run.requeued = true;
    run.attempts.resize(1);
    return run;
  }
  static RunStatus sweep_of(std::vector<RunStatus> points) {
    RunStatus sweep;
    sweep.state = RunState::queued;
    sweep.points = std::move(points);
    return sweep;
  }
  void answer(const std::string& job_id, const std::string& state) {
    outside.runner.answer(0, "JobId=" + job_id + " JobState=" + state + " Reason=BeginTime Restarts=1\n");
  }
  void release(const RunStatus& status) { release_.release(status, *launcher); }

  FakeSystem outside;
  std::unique_ptr<Launcher> launcher =
      std::move(*make_launcher("slurm", {outside.system(), EnvMap().set("PATH", "/usr/bin"), {}}));
  RequeueRelease release_;
};

TEST_F(RequeueReleaseTest, IsOnceForEachRequeue) {
  auto run = requeued("7");
  EXPECT_TRUE(release_.is_due(run));
  answer("7", "PENDING");
  release(run);
  EXPECT_EQ(outside.runner.requests.back().argv.back(), "StartTime=now+2");
  EXPECT_FALSE(release_.is_due(run));
  run.attempts.resize(2);
  EXPECT_TRUE(release_.is_due(run));
}

TEST_F(RequeueReleaseTest, IsDueAgainWhileTheJobIsStillOnItsNodes) {
  const auto run = requeued("7");
  answer("7", "COMPLETING");
  release(run);
  EXPECT_TRUE(release_.is_due(run));
}

TEST_F(RequeueReleaseTest, OfASweepIsForThePointsThatWereRequeued) {
  RunStatus waits;
  waits.state = RunState::queued;
  waits.job_id = "7_0";
  const auto sweep = sweep_of({waits, requeued("7_1"), requeued("7_2")});
  EXPECT_FALSE(release_.is_due(sweep_of({waits})));
  EXPECT_TRUE(release_.is_due(sweep));
  answer("9", "COMPLETING");
  answer("9", "COMPLETING");
  release(sweep);
  EXPECT_TRUE(release_.is_due(sweep));
  outside.runner.requests.clear();
  for (const std::string job : {"7_1", "7_2"}) {
    outside.runner.answer(0, "JobId=9 ArrayJobId=7 ArrayTaskId=" + job.substr(2) +
                                 " JobState=PENDING Reason=BeginTime Restarts=1\n");
    outside.runner.answer(0, "");
  }
  release(sweep);
  EXPECT_EQ(outside.runner.requests.size(), 4u);
  EXPECT_FALSE(release_.is_due(sweep)) << "nobody is asked about them a second time";
}

}  // namespace
}  // namespace ddp::cli
