#include "jobenv/agent/node/hang_detector.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;

/// A page of its own and a process that does nothing stand for a rank.
class Detector : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
    plan_.hang_timeout = std::chrono::seconds(1);
    pid_ = fork();
    if (pid_ != 0) return;
    for (;;) pause();
  }
  void TearDown() override {
    detector_.reset();
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  void watch() {
    detector_.emplace(*loop_, plan_, [this](const AgentMessage& message) { take(message); });
    detector_->watch(kRank, pid_, page_);
  }
  template <class Predicate>
  bool run_until(Predicate holds) {
    return run_loop_until(*loop_, holds);
  }
  bool is_told() {
    return run_until([this] { return told_.has_value(); });
  }
  /// For longer than it would take to tell of a silent rank.
  bool nothing_is_told() {
    finish_step(7);
    bool passed = false;
    loop_->after(milliseconds(1500), [&passed] { passed = true; });
    return run_until([&passed] { return passed; }) && !told_;
  }
  void finish_step(std::uint64_t step) {
    page_.enter(Phase::step);
    page_.finish_step(step);
  }

  static constexpr int kRank = 5;
  std::unique_ptr<EventLoop> loop_;
  LaunchPlan plan_;
  pid_t pid_ = -1;
  ProgressPage page_;
  std::optional<HangDetector> detector_;
  std::optional<RankStalled> told_;
  int times_told_ = 0;
  bool advances_ = false;

 private:
  void take(const AgentMessage& message) {
    if (const auto* stalled = std::get_if<RankStalled>(&message)) {
      told_ = *stalled;
      ++times_told_;
    }
    advances_ = std::holds_alternative<RankAdvances>(message);
  }
};

TEST_F(Detector, TellsOfAStalledRankWhatIsOnItsPage) {
  finish_step(7);
  page_.waits_for_peers = 1;
  watch();
  ASSERT_TRUE(is_told());
  EXPECT_EQ(told_->rank, kRank);
  EXPECT_EQ(told_->phase, Phase::step);
  EXPECT_EQ(told_->last_step, 7U);
  EXPECT_GE(told_->silent, std::chrono::seconds(1));
  EXPECT_EQ(told_->process, ProcessState::sleeping);
  EXPECT_TRUE(told_->waits_for_peers);
}

TEST_F(Detector, TellsWhenItAdvancesAgain) {
  finish_step(7);
  watch();
  ASSERT_TRUE(is_told());
  finish_step(8);
  EXPECT_TRUE(run_until([this] { return advances_; }));
}

TEST_F(Detector, TellsAgainWhenItsProcessIsStopped) {
  finish_step(7);
  watch();
  ASSERT_TRUE(is_told());
  kill(pid_, SIGSTOP);
  EXPECT_TRUE(run_until([this] { return told_->process == ProcessState::stopped; }));
  EXPECT_EQ(times_told_, 2);
}

TEST_F(Detector, OneThatIsStoppedWhileItStartsIsToldToo) {
  kill(pid_, SIGSTOP);
  watch();
  ASSERT_TRUE(is_told());
  EXPECT_EQ(told_->phase, Phase::start);
  EXPECT_EQ(told_->last_step, std::nullopt);
}

TEST_F(Detector, APhaseThatThereIsNotIsTakenForTheStart) {
  page_.phase = static_cast<Phase>(77);
  kill(pid_, SIGSTOP);
  watch();
  ASSERT_TRUE(is_told());
  EXPECT_EQ(told_->phase, Phase::start);
}

TEST_F(Detector, ACommandThatTellsNothingIsNotWatched) {
  plan_.program = ProgramKind::command;
  kill(pid_, SIGSTOP);
  watch();
  bool passed = false;
  loop_->after(milliseconds(1500), [&passed] { passed = true; });
  EXPECT_TRUE(run_until([&passed] { return passed; }));
  EXPECT_FALSE(told_);
}

TEST_F(Detector, ACommandIsWatchedFromItsFirstStepOn) {
  plan_.program = ProgramKind::command;
  watch();
  finish_step(7);
  ASSERT_TRUE(is_told());
  EXPECT_EQ(told_->last_step, 7U);
}

TEST_F(Detector, APhaseOfTheProgramsOwnIsToldByItsName) {
  plan_.program = ProgramKind::command;
  std::ranges::copy(std::string_view("download"), page_.phase_names[0].begin());
  page_.phase_name_count = 1;
  page_.phase = static_cast<Phase>(kPhases);
  watch();
  kill(pid_, SIGSTOP);
  ASSERT_TRUE(is_told()) << "a process that is stopped has the time of a step in every phase";
  EXPECT_EQ(told_->phase.text(), "download");
}

TEST_F(Detector, NothingIsWatchedWithoutATimeout) {
  plan_.hang_timeout.reset();
  watch();
  EXPECT_TRUE(nothing_is_told());
}

TEST_F(Detector, ARankThatHasEndedIsForgotten) {
  watch();
  detector_->forget(kRank);
  EXPECT_TRUE(nothing_is_told());
}

}  // namespace
}  // namespace ddp::agent
