#include "jobenv/agent/node/idle_detector.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kRank = 1;

/// Looks at a rank that stands only in its readings.
class IdleRankLooks : public testing::Test {
 protected:
  void SetUp() override {
    plan_.program = ProgramKind::command;
    plan_.hang_timeout = seconds(60);
    plan_.waits.live = seconds(2);
    reading_.rank = kRank;
    reading_.process = ProcessState::sleeping;
  }
  void look(int times) {
    if (!detector_) {
      detector_.emplace(plan_, [this](const AgentMessage& message) { said_.push_back(message); });
      detector_->watch(kRank);
    }
    for (int i = 0; i < times; ++i) {
      now_ += seconds(2);
      detector_->begin_look(now_);
      detector_->look(reading_, {}, printed_);
    }
  }

  LaunchPlan plan_;
  RankReading reading_;
  std::uint64_t printed_ = 0;
  ActivityWatch::Time now_{};
  std::vector<AgentMessage> said_;
  std::optional<IdleDetector> detector_;
};

TEST_F(IdleRankLooks, ARankThatDoesNothingForTheTimeoutIsToldOnce) {
  look(30);
  EXPECT_TRUE(said_.empty());
  look(30);
  ASSERT_EQ(said_.size(), 1U);
  const auto& idle = std::get<RankIdle>(said_.front());
  EXPECT_EQ(idle.rank, kRank);
  EXPECT_EQ(idle.silent, seconds(60));
  EXPECT_EQ(idle.process, ProcessState::sleeping);
}

TEST_F(IdleRankLooks, ItIsToldAgainWhenItsProcessIsStopped) {
  look(31);
  reading_.process = ProcessState::stopped;
  look(1);
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_EQ(std::get<RankIdle>(said_.back()).process, ProcessState::stopped);
}

TEST_F(IdleRankLooks, ItWorksAgain) {
  look(31);
  ++printed_;
  look(1);
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_EQ(std::get<RankAdvances>(said_.back()).rank, kRank);
}

TEST_F(IdleRankLooks, OneThatTellsAPhaseIsNotItsMatter) {
  look(31);
  reading_.phase = Phase::evaluate;
  look(60);
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<RankAdvances>(said_.back()));
}

TEST_F(IdleRankLooks, OneThatADebuggerHoldsIsLeftAlone) {
  reading_.process = ProcessState::traced;
  look(100);
  EXPECT_TRUE(said_.empty());
}

TEST_F(IdleRankLooks, AToolThatHoldsItIsNoDebuggerAndWhatItCausesNoWork) {
  look(31);
  detector_->hold(Judgement::held);
  reading_.process = ProcessState::traced;
  look(2);
  detector_->hold(Judgement::open);
  reading_.process = ProcessState::sleeping;
  reading_.cpu += seconds(5);
  look(1);
  EXPECT_EQ(said_.size(), 1U) << "it is as idle as before";
}

TEST_F(IdleRankLooks, WithoutATimeoutOfTheFileItTakesTheTimeOfTheObservation) {
  plan_.hang_answer = HangAnswer::tell;
  plan_.waits.idle = seconds(600);
  look(300);
  EXPECT_TRUE(said_.empty());
  look(1);
  EXPECT_EQ(said_.size(), 1U);
}

TEST_F(IdleRankLooks, ATrainerIsNotItsMatter) {
  plan_.program = ProgramKind::trainer;
  look(100);
  EXPECT_TRUE(said_.empty());
}

TEST_F(IdleRankLooks, SwitchedOffItSaysNothing) {
  plan_.hang_timeout.reset();
  look(1000);
  EXPECT_TRUE(said_.empty());
}

}  // namespace
}  // namespace ddp::agent
