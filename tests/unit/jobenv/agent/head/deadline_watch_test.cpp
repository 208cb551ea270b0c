#include "jobenv/agent/head/deadline_watch.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "jobenv/agent/launchers/slurm/slurm_inquiry.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/use_launcher.hpp"
#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

using std::chrono::system_clock;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// In a job whose deadline squeue tells.
class DeadlineWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    use_launcher(plan_, "slurm");
    plan_.stop_signal = "USR2";
    plan_.requeue = true;
    job_.id = "42";
    setenv("PATH", bin_.path().c_str(), 1);  // tools are found in that of the process
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }
  void let_squeue_say(const std::string& time) {
    std::ofstream(bin_ / "squeue") << "#!/bin/sh\necho " << time << "\n";
    std::filesystem::permissions(bin_ / "squeue", std::filesystem::perms::owner_all);
  }

  TemporaryFolder bin_;
  std::string path_ = getenv("PATH");
  LaunchPlan plan_;
  EnvMap environment_;
  SchedulerJob job_;
  std::unique_ptr<EventLoop> loop_ = EventLoop::create({}, [](int) {}).value();
  SlurmInquiry inquiry_{*loop_, environment_, job_, EndNoticeReader()};
  std::vector<system_clock::time_point> deadlines_;
  std::vector<int> signals_;
  DeadlineWatch watch_{*loop_, plan_, inquiry_,
                       [this](system_clock::time_point deadline) { deadlines_.push_back(deadline); },
                       [this](int signal) { signals_.push_back(signal); }};
};

TEST_F(DeadlineWatchTest, AsksForADeadlineThatIsNotKnown) {
  let_squeue_say("2035-01-01T00:00:00");
  watch_.begin();
  EXPECT_TRUE(run_loop_until(*loop_, [this] { return !deadlines_.empty(); }));
  EXPECT_THAT(deadlines_, ElementsAre(watch_.deadline()));
}

TEST_F(DeadlineWatchTest, MakesUpForAStopSignalThatDoesNotCome) {
  let_squeue_say("2020-01-01T00:00:00");
  watch_.start_with(system_clock::now());
  watch_.begin();
  EXPECT_TRUE(run_loop_until(*loop_, [this] { return !signals_.empty(); }));
  EXPECT_THAT(signals_, ElementsAre(SIGUSR2));
}

TEST_F(DeadlineWatchTest, TheLimitMayHaveBeenRaised) {
  let_squeue_say("2035-01-01T00:00:00");
  watch_.start_with(system_clock::now());
  watch_.begin();
  EXPECT_TRUE(run_loop_until(*loop_, [this] { return !deadlines_.empty(); }));
  EXPECT_THAT(signals_, IsEmpty());
}

TEST_F(DeadlineWatchTest, AwaitsNoStopSignalOnceTheRanksStop) {
  let_squeue_say("2020-01-01T00:00:00");
  std::vector<int> of_other;
  DeadlineWatch other(
      *loop_, plan_, inquiry_, [](system_clock::time_point) {},
      [&of_other](int signal) { of_other.push_back(signal); });
  for (DeadlineWatch* watch : {&watch_, &other}) {
    watch->start_with(system_clock::now());
    watch->begin();
  }
  watch_.forgo_stop_signal();
  EXPECT_TRUE(run_loop_until(*loop_, [&of_other] { return !of_other.empty(); }));
  EXPECT_THAT(of_other, SizeIs(1));
  EXPECT_THAT(deadlines_, IsEmpty());
}

}  // namespace
}  // namespace ddp::agent
