#include "jobenv/agent/node/rank_observer.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

class Observer : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
  }
  void watch(int rank, pid_t pid = getpid()) {
    if (!observer_) {
      plan_.waits.live = std::chrono::milliseconds(10);
      const auto report = [this](const AgentMessage& message) {
        for (const auto& reading : std::get<RanksSeen>(message).ranks) {
          same_twice_ = same_twice_ || seen_[reading.rank] == reading;
          seen_[reading.rank] = reading;
        }
      };
      observer_.emplace(*loop_, plan_, EnvMap{}, report, [](int) { return 0; });
    }
    observer_->watch(rank, pid, page_);
  }
  template <class Predicate>
  bool run_until(Predicate holds) {
    return run_loop_until(*loop_, holds);
  }

  std::unique_ptr<EventLoop> loop_;
  LaunchPlan plan_;
  ProgressPage page_;
  std::map<int, RankReading> seen_;
  bool same_twice_ = false;
  std::optional<RankObserver> observer_;
};

TEST_F(Observer, TellsWhatARankSaysAndUses) {
  page_.enter(Phase::step);
  page_.finish_step(3);
  page_.total_steps = 9;
  watch(4);
  ASSERT_TRUE(run_until([this] { return seen_.contains(4); }));
  EXPECT_EQ(seen_[4].step, 3U);
  EXPECT_EQ(seen_[4].total_steps, 9U);
  EXPECT_EQ(seen_[4].phase, Phase::step);
  EXPECT_GT(seen_[4].memory_bytes, 1U << 20);
  EXPECT_NE(seen_[4].process, ProcessState::unknown);
  page_.finish_step(4);
  EXPECT_TRUE(run_until([this] { return seen_[4].step == 4; }));
  EXPECT_EQ(seen_[4].first_step, 3U);
}

TEST_F(Observer, TellsOnceMoreWhenARankDoesNothing) {
  const auto sleeper = fork();
  if (sleeper == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  watch(0, sleeper);
  EXPECT_TRUE(run_until([this] { return same_twice_; })) << "so that its CPU use falls to 0";
  kill(sleeper, SIGKILL);
  waitpid(sleeper, nullptr, 0);
}

TEST_F(Observer, MetricsAreThoseOfRank0Alone) {
  std::ranges::copy(std::string_view("loss"), page_.metrics[0].name.begin());
  page_.metrics[0].value = 0.5;
  page_.metric_count = 1;
  watch(0);
  watch(1);
  ASSERT_TRUE(run_until([this] { return seen_.size() == 2; }));
  EXPECT_EQ(seen_[0].metrics, (std::map<std::string, double>{{"loss", 0.5}}));
  EXPECT_TRUE(seen_[1].metrics.empty());
}

TEST_F(Observer, ARankThatIsForgottenIsNotLookedAt) {
  watch(0);
  watch(1);
  observer_->forget(0);
  ASSERT_TRUE(run_until([this] { return seen_.contains(1); }));
  EXPECT_FALSE(seen_.contains(0));
}

}  // namespace
}  // namespace ddp::agent
