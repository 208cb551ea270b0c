#include <gmock/gmock.h>

#include "tests/unit/jobenv/agent/controller/controller_fixture.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Ranks that do not advance, in step 121.
class HungController : public Controller {
 protected:
  void stall(int rank, ProcessState process = ProcessState::sleeping) {
    say(rank, RankStalled{rank, Phase::step, 120, seconds(61), milliseconds(200), process, true});
  }
  [[nodiscard]] std::vector<int> recorded_as_stalled() const {
    std::vector<int> ranks;
    for (const WriteLedger& line : ledger_) {
      if (line.event == "rank_stalled") ranks.push_back(line.fields.at("rank"));
    }
    return ranks;
  }
  void end_all_killed(const std::string& last_words) {
    for (int rank = 0; rank < 4; ++rank) {
      ExitRecord exit = record(rank);
      exit.signal = SIGKILL;
      exit.ended_by = EndedBy::agent;
      exit.stderr_tail = last_words + std::to_string(rank);
      say(rank, RankExited{exit, ""});
    }
    drain_all();
  }
};

TEST_F(HungController, ARankThatIsStoppedIsTheCauseAndAllAreKilled) {
  run_ranks();
  for (const int rank : {0, 1, 3}) stall(rank);
  stall(2, ProcessState::stopped);
  EXPECT_TRUE(armed(RunTimer::stall));
  EXPECT_TRUE(receivers<KillRanks>().empty()) << "others may be heard of";
  expire(RunTimer::stall);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  end_all_killed("said by ");
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_EQ(
      end_->message,
      "rank 2 on node2 made no progress for 61 s in step 121 (the longest earlier step took 0.2 s): its "
      "process is "
      "stopped; the other 3 ranks were stopped");
  ASSERT_TRUE(end_->cause && end_->cause->rank);
  EXPECT_EQ(end_->cause->rank->stderr_tail, "said by 2");
  EXPECT_FALSE(cause_of(*end_->cause).signal) << "it was killed because of the hang";
}

TEST_F(HungController, OfACommandThatNamesNoTimeoutItIsOnlyTold) {
  plan_.hang_answer = HangAnswer::tell;
  run_ranks(ProgramKind::command);
  stall(2, ProcessState::stopped);
  expire(RunTimer::stall);
  stall(2, ProcessState::stopped);
  expire(RunTimer::stall);
  EXPECT_TRUE(receivers<KillRanks>().empty());
  EXPECT_EQ(count_events("hang_suspected"), 1) << "once";
  EXPECT_EQ(
      ledger_.back().fields.at("message"),
      "rank 2 on node2 made no progress for 61 s in step 121 (the longest earlier step took 0.2 s): its "
      "process is stopped");
  say(2, RankAdvances{2});
  EXPECT_EQ(count_events("hang_over"), 1);
  stall(2, ProcessState::stopped);
  expire(RunTimer::stall);
  EXPECT_EQ(count_events("hang_suspected"), 2) << "another one";
}

TEST_F(HungController, AHangIsJudgedWhenAllAgentsHaveSaidWhereTheirRanksAre) {
  stacks_.reset();
  run_ranks();
  stall(2, ProcessState::stopped);
  expire(RunTimer::stall);
  EXPECT_EQ(receivers<TakeStacks>(), kAll);
  EXPECT_TRUE(armed(RunTimer::stacks));
  for (const int agent : {0, 1, 3})
    say(agent, StacksTaken{"hang-1",
                           {{agent, "", "sleeping", "py-spy", {"all_reduce (torch/distributed/x.py:1)"}}}});
  EXPECT_TRUE(receivers<KillRanks>().empty());
  say(2, StacksTaken{"hang-1", {{2, "", "stopped", "py-spy", {"main (train.py:7)"}}}});
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  end_all_killed("");
  ASSERT_TRUE(end_);
  EXPECT_NE(
      end_->message.find("its process is stopped; it is in main (train.py:7), the other ranks in all_reduce "
                         "(torch/distributed/x.py:1); the other 3 ranks were stopped"),
      std::string::npos)
      << end_->message;
}

TEST_F(HungController, AgentsThatDoNotSayWhereTheirRanksAreDelayNothingForLong) {
  stacks_.reset();
  run_ranks();
  stall(2, ProcessState::stopped);
  expire(RunTimer::stall);
  expire(RunTimer::stacks);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
}

TEST_F(HungController, RanksThatTellNothingAreJudgedByWhatTheyDo) {
  stacks_ = std::vector<RankStack>{};
  for (const int rank : {0, 2, 3})
    stacks_->push_back({rank, "", "sleeping", "py-spy", {"all_reduce (torch/distributed/x.py:1)"}});
  stacks_->push_back({1, "", "sleeping", "py-spy", {"main (train.py:7)"}});
  run_ranks(ProgramKind::command);
  for (int rank = 0; rank < 4; ++rank) say(rank, RankIdle{rank, seconds(61), ProcessState::sleeping});
  expire(RunTimer::stall);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  end_all_killed("");
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message,
            "rank 1 on node1 has done nothing for 61 s: it is in main (train.py:7); the other ranks are in "
            "all_reduce "
            "(torch/distributed/x.py:1); the other 3 ranks were stopped");
}

TEST_F(HungController, IdleRanksOfACommandThatNamesNoTimeoutAreToldUntilTheyWork) {
  plan_.hang_answer = HangAnswer::tell;
  run_ranks(ProgramKind::command);
  for (int rank = 0; rank < 4; ++rank) say(rank, RankIdle{rank, seconds(600), ProcessState::sleeping});
  expire(RunTimer::stall);
  ASSERT_EQ(count_events("hang_suspected"), 1);
  EXPECT_EQ(ledger_.back().fields.at("message"), "no rank has printed, read or computed anything for 600 s");
  for (int rank = 0; rank < 3; ++rank) say(rank, RankAdvances{rank});
  EXPECT_EQ(count_events("hang_over"), 0);
  say(3, RankAdvances{3});
  EXPECT_EQ(count_events("hang_over"), 1);
  EXPECT_TRUE(receivers<KillRanks>().empty());
}

TEST_F(HungController, ARankThatHasLeftTheOthersAloneIsNamed) {
  run_ranks(ProgramKind::command);
  exit_with(1, 0);
  for (const int rank : {0, 2, 3}) say(rank, RankIdle{rank, seconds(61), ProcessState::sleeping});
  expire(RunTimer::stall);
  end_all_killed("");
  ASSERT_TRUE(end_);
  EXPECT_TRUE(end_->message.starts_with(
      "no rank has printed, read or computed anything for 61 s after rank 1 had ended with "
      "exit code 0"))
      << end_->message;
}

TEST_F(HungController, ARankThatFailsBehindOneThatHasEndedSaysSo) {
  run_ranks(ProgramKind::command);
  exit_with(1, 0);
  exit_with(0, 1);
  for (const int rank : {2, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_THAT(end_->message, testing::StartsWith("rank 0 on node1 ended with exit code 1"));
  EXPECT_THAT(end_->message, testing::HasSubstr("; before that, rank 1 had ended with exit code 0"));
}

TEST_F(HungController, AGuessIsToldAndKillsNobody) {
  run_ranks(ProgramKind::command);
  say(3, RankIdle{3, seconds(61), ProcessState::sleeping});
  expire(RunTimer::stall);
  EXPECT_EQ(count_events("hang_suspected"), 1);
  EXPECT_TRUE(receivers<KillRanks>().empty());
}

TEST_F(HungController, TheEndOfTheRankThatWasBusyIsAReasonToLookAgain) {
  run_ranks(ProgramKind::command);
  for (const int rank : {0, 2, 3}) say(rank, RankIdle{rank, seconds(61), ProcessState::sleeping});
  expire(RunTimer::stall);
  EXPECT_TRUE(receivers<KillRanks>().empty()) << "they may wait for rank 1";
  exit_with(1, 0);
  expire(RunTimer::stall);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
}

TEST_F(HungController, NobodyIsLookedAtTwiceInTheSameCondition) {
  run_ranks(ProgramKind::command);
  say(3, RankIdle{3, seconds(61), ProcessState::sleeping});
  say(2, RankIdle{2, seconds(61), ProcessState::sleeping});
  expire(RunTimer::stall);
  const auto looks = receivers<TakeStacks>().size();
  say(2, RankIdle{2, seconds(90), ProcessState::in_kernel});
  expire(RunTimer::stall);
  EXPECT_EQ(receivers<TakeStacks>().size(), looks);
}

TEST_F(HungController, ARequestForStacksGoesToAllAgents) {
  stacks_.reset();
  run_ranks();
  post(StacksWanted{"7", {2}});
  EXPECT_EQ(receivers<TakeStacks>(), kAll);
  EXPECT_EQ(std::get<TakeStacks>(sent_.back().second), (TakeStacks{"7", {2}}));
  for (int agent = 0; agent < 4; ++agent) say(agent, StacksTaken{"7", {}});
  EXPECT_TRUE(receivers<KillRanks>().empty());
}

TEST_F(HungController, TheFirstReportBeginsTheWaitForTheOthers) {
  const auto waits = [this] { return std::ranges::count(timers_, RunTimer::stall, &ArmTimer::timer); };
  run_ranks();
  stall(0);
  stall(1);
  EXPECT_EQ(waits(), 1);
  expire(RunTimer::stall);
  EXPECT_TRUE(receivers<TakeStacks>().empty()) << "they may wait for the others";
  stall(3);
  EXPECT_EQ(waits(), 2);
}

TEST_F(HungController, TheLedgerTellsOfAllThatWereStalled) {
  run_ranks();
  stall(1);
  stall(3, ProcessState::stopped);
  EXPECT_TRUE(recorded_as_stalled().empty());
  expire(RunTimer::stall);
  EXPECT_EQ(recorded_as_stalled(), (std::vector<int>{1, 3}));
  const nlohmann::json expected = {{"attempt", 3},           {"rank", 3},
                                   {"host", "node2"},        {"phase", "step"},
                                   {"last_step", 120},       {"silent_seconds", 61.0},
                                   {"longest_seconds", 0.2}, {"process", "stopped"},
                                   {"waits_for_peers", true}};
  EXPECT_EQ(ledger_.back().fields, expected);
}

TEST_F(HungController, OneTimerIsEnoughForAllThatAreHeardMeanwhile) {
  run_ranks();
  stall(0);
  timers_.clear();
  stall(1);
  EXPECT_FALSE(armed(RunTimer::stall));
}

TEST_F(HungController, NobodyIsKilledWhileOneMayBeAtWork) {
  run_ranks();
  for (const int rank : {0, 1, 3}) stall(rank);
  expire(RunTimer::stall);
  EXPECT_TRUE(receivers<KillRanks>().empty());
  timers_.clear();
  stall(2);
  EXPECT_TRUE(armed(RunTimer::stall));
  expire(RunTimer::stall);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  end_all_killed("");
  ASSERT_TRUE(end_);
  EXPECT_EQ(
      end_->message,
      "no rank advances: ranks 0-3 made no progress for 61 s in step 121 (the longest earlier step took "
      "0.2 s), and "
      "wait for each other; 4 ranks were stopped");
}

TEST_F(HungController, ThoseThatGoOnAreNotStalled) {
  run_ranks();
  for (const int rank : {0, 1, 3}) stall(rank);
  for (const int rank : {0, 1, 3}) say(rank, RankAdvances{rank});
  stall(2);
  expire(RunTimer::stall);
  EXPECT_TRUE(receivers<KillRanks>().empty());
}

TEST_F(HungController, OneThatHasEndedIsNotWaitedFor) {
  run_ranks();
  exit_with(0, 0, Phase::done);
  for (const int rank : {1, 2, 3}) stall(rank);
  expire(RunTimer::stall);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
}

TEST_F(HungController, AFailureThatIsKnownIsTheCause) {
  run_ranks();
  stall(1, ProcessState::stopped);
  exit_with(2, kExitPeerLost);
  expire(RunTimer::stall);
  EXPECT_TRUE(receivers<KillRanks>().empty()) << "the one to blame may still say so";
  die_of(3, SIGSEGV);
  expire(RunTimer::blame);
  for (const int rank : {0, 1}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_TRUE(end_->message.starts_with("rank 3 on node2 was killed by signal 11")) << end_->message;
}

TEST_F(HungController, RanksThatWereAskedToStopHaveTheirTimeForIt) {
  run_ranks();
  stall(0, ProcessState::stopped);
  post(StopWanted{StopReason::cancel, SIGINT});
  expire(RunTimer::stall);
  stall(1, ProcessState::stopped);
  EXPECT_TRUE(receivers<KillRanks>().empty());
  EXPECT_TRUE(recorded_as_stalled().empty());
}

TEST_F(HungController, TheNextAttemptGoesOnFromTheNewestCheckpoint) {
  plan_.max_restarts = 1;
  run_ranks();
  stall(2, ProcessState::stopped);
  expire(RunTimer::stall);
  end_all_killed("");
  EXPECT_EQ(checkpoints_asked_, 1);
  post(CheckpointFound{100});
  post(AttemptClaimed{4, "other"});
  const auto& restarting = ledger_.back();
  EXPECT_EQ(restarting.event, "restarting");
  EXPECT_EQ(restarting.fields.at("cause").at("rank"), 2);
  EXPECT_EQ(restarting.fields.at("resumes_from"), 100);
  say(0, StoreBound{4001});
  timers_.clear();
  stall(0);
  EXPECT_TRUE(armed(RunTimer::stall)) << "nothing is left of the attempt before";
  expire(RunTimer::stall);
  EXPECT_FALSE(end_);
}

}  // namespace
}  // namespace ddp::agent
