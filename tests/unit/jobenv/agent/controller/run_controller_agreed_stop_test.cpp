#include "tests/unit/jobenv/agent/controller/controller_fixture.hpp"

namespace ddp::agent {
namespace {

/// Ranks of a command that heed their pages.
class HeedingController : public Controller {
 protected:
  void SetUp() override {
    held_.reset();
    plan_.stop_signal = "USR2";
    plan_.stop_signal_for = StopSignalFor::heeding_ranks;
  }
  void answer(AgentId agent, std::optional<std::uint64_t> newest) { say(agent, RanksHeld{true, newest}); }
  void answer_all() {
    for (int agent = 0; agent < 4; ++agent) answer(agent, 120);
  }
  [[nodiscard]] std::vector<StopAfter> stops() const {
    std::vector<StopAfter> stops;
    for (const auto& [agent, message] : sent_) {
      if (const auto* stop = std::get_if<StopAfter>(&message)) stops.push_back(*stop);
    }
    return stops;
  }
};

TEST_F(HeedingController, AllStopAfterTheStepBehindTheNewest) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::cancel, SIGTERM});
  EXPECT_EQ(receivers<HoldRanks>(), kAll);
  EXPECT_TRUE(armed(RunTimer::grace));
  answer(0, 120);
  answer(1, 122);
  answer(3, std::nullopt);
  EXPECT_TRUE(stops().empty()) << "one may be further";
  answer(2, 121);
  EXPECT_EQ(stops(), std::vector<StopAfter>(4, StopAfter{123, SIGTERM}));
  EXPECT_TRUE(receivers<StopRanks>().empty());
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, kExitStopped);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
  EXPECT_EQ(end_->message, "cancelled; all ranks stopped on request at step 120");
}

TEST_F(HeedingController, WhereOneDoesNotHeedAllGetTheSignal) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::cancel, SIGTERM});
  for (const int agent : {0, 1, 2}) answer(agent, 120);
  say(3, RanksHeld{});
  EXPECT_EQ(receivers<StopRanks>(), kAll);
  EXPECT_TRUE(stops().empty());
}

TEST_F(HeedingController, AnAgentThatIsLostIsNotAwaited) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::cancel, SIGTERM});
  for (const int agent : {0, 1, 2}) answer(agent, 120);
  for (const int rank : {3}) exit_with(rank, kExitStopped);
  post(AgentLost{3, "gone"});
  EXPECT_EQ(stops().size(), 3U);
}

TEST_F(HeedingController, TheEndOfTheJobIsAnnouncedToRanksThatHeed) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  EXPECT_EQ(receivers<HoldRanks>(), kAll);
  EXPECT_TRUE(reasons().empty()) << "nobody knows yet whether they heed it";
  answer_all();
  EXPECT_EQ(reasons(), (std::vector<std::string>{"time_limit"}));
  EXPECT_EQ(stops(), std::vector<StopAfter>(4, StopAfter{121, SIGTERM}));
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, kExitStopped);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::timed_out);
  EXPECT_EQ(end_->stop_signal, SIGUSR2) << "it was announced: the job may be requeued";
}

TEST_F(HeedingController, OthersRunOnUntilTheEndOfTheJob) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  for (const int agent : {0, 1, 2}) answer(agent, 120);
  say(3, RanksHeld{});
  EXPECT_EQ(receivers<ReleaseRanks>(), kAll);
  EXPECT_TRUE(reasons().empty());
  EXPECT_FALSE(armed(RunTimer::grace));
  post(StopWanted{StopReason::time_limit, SIGTERM});
  EXPECT_EQ(reasons(), (std::vector<std::string>{"time_limit"}));
}

TEST_F(HeedingController, AnotherAnnouncementAsksOnceMore) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  EXPECT_EQ(receivers<HoldRanks>(), kAll) << "the answers to the first are awaited";
  for (int agent = 0; agent < 4; ++agent) say(agent, RanksHeld{});
  EXPECT_TRUE(reasons().empty());
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  EXPECT_EQ(receivers<HoldRanks>().size(), 8U) << "the program may ask for stops by now";
  answer_all();
  EXPECT_EQ(reasons(), (std::vector<std::string>{"time_limit"}));
}

TEST_F(HeedingController, AnAnnouncementBeforeTheRanksStartIsForThemOnceTheyRun) {
  begin(ProgramKind::command);
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  for (int rank = 0; rank < 4; ++rank) join(rank);
  say(0, StoreBound{4000});
  EXPECT_EQ(receivers<StartAttempt>(), kAll);
  EXPECT_TRUE(receivers<HoldRanks>().empty());
  say(1, RanksSeen{});
  EXPECT_TRUE(receivers<HoldRanks>().empty()) << "the agent of rank 0 sets the pace";
  say(0, RanksSeen{});
  EXPECT_EQ(receivers<HoldRanks>(), kAll);
  answer_all();
  EXPECT_EQ(reasons(), (std::vector<std::string>{"time_limit"}));
}

TEST_F(HeedingController, RanksDoNotWaitForAnAgentThatDoesNotAnswer) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  for (const int agent : {0, 1, 2}) answer(agent, 120);
  EXPECT_TRUE(armed(RunTimer::hold));
  expire(RunTimer::hold);
  EXPECT_EQ(receivers<ReleaseRanks>(), kAll);
  answer(3, 120);
  EXPECT_TRUE(reasons().empty()) << "it is too late";
  post(StopWanted{StopReason::cancel, SIGTERM});
  expire(RunTimer::hold);
  EXPECT_EQ(receivers<StopRanks>(), kAll);
}

TEST_F(HeedingController, WhatIsLearntOfTheAnnouncementMeanwhileCounts) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::time_limit, SIGUSR2, std::chrono::minutes(2), Certainty::asked});
  post(StopWanted{StopReason::interrupt, SIGUSR2});
  answer_all();
  EXPECT_EQ(reasons(), (std::vector<std::string>{"interrupt"}));
  EXPECT_FALSE(armed(RunTimer::answer)) << "there was one";
}

TEST_F(HeedingController, ACancelWhileTheEndIsAnnouncedStopsThem) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  post(StopWanted{StopReason::cancel, SIGTERM});
  answer_all();
  EXPECT_EQ(reasons(), (std::vector<std::string>{"cancel"}));
  EXPECT_EQ(stops().size(), 4U);
}

TEST_F(HeedingController, WhoHasToldItsEndSucceedsThoughAStopWasWanted) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::cancel, SIGTERM});
  answer_all();
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, 0, Phase::done);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::succeeded);
}

}  // namespace
}  // namespace ddp::agent
