#include "jobenv/agent/controller/first_steps.hpp"

#include <gmock/gmock.h>

#include "tests/unit/jobenv/agent/controller/controller_fixture.hpp"

namespace ddp::agent {
namespace {

/// Ranks of a command that report the first step with which they have begun.
class FirstStepsOfRanks : public Controller {
 protected:
  void report(int rank, std::optional<std::uint64_t> first_step) {
    RankReading reading;
    reading.rank = rank;
    reading.step = 1200;
    reading.first_step = first_step;
    say(rank, RanksSeen{{reading}});
  }
  void kill_others(std::initializer_list<int> ranks) {
    for (const int rank : ranks) be_killed(rank);
    drain_all();
  }
};

TEST_F(FirstStepsOfRanks, DifferentOnesAreAFailureThatIsNotRestarted) {
  plan_.max_restarts = 3;
  run_ranks(ProgramKind::command);
  report(2, 1);
  report(3, 1);
  EXPECT_TRUE(receivers<KillRanks>().empty());
  report(0, 1190);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  kill_others({0, 1, 2, 3});
  post(CheckpointFound{1200});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_EQ(end_->message,
            "the ranks began at different steps: rank 0 on node1 at step 1190, rank 2 on node2 at step 1. "
            "Load the checkpoint on rank 0, and broadcast the model, the optimizer and the step to the other "
            "ranks; 4 ranks were stopped. Not restarted: another attempt would fail in the same way");
}

TEST_F(FirstStepsOfRanks, ThatOfARankThatHasEndedCountsToo) {
  run_ranks(ProgramKind::command);
  report(1, 1);
  ExitRecord exit = record(0);
  exit.code = 0;
  say(0, RankExited{.record = exit, .what = "", .first_step = 1190});
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  kill_others({1, 2, 3});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_THAT(end_->message, testing::HasSubstr("rank 0 on node1 at step 1190, rank 1 on node1 at step 1."));
}

TEST_F(FirstStepsOfRanks, RanksThatReportNoneDoNotCount) {
  run_ranks(ProgramKind::command);
  report(0, 1190);
  report(1, std::nullopt);
  report(1, 1190);
  report(3, std::nullopt);
  EXPECT_TRUE(receivers<KillRanks>().empty());
}

TEST_F(FirstStepsOfRanks, ACommandThatIsToBeRequeuedIsWarnedIfItReportsNone) {
  run_ranks(ProgramKind::command);
  EXPECT_FALSE(armed(RunTimer::steps)) << "it is not to be requeued";
  plan_.requeue = true;
  run_ranks(ProgramKind::command);
  EXPECT_TRUE(armed(RunTimer::steps));
  expire(RunTimer::steps);
  ASSERT_EQ(count_events("steps_not_reported"), 1);
  EXPECT_THAT(std::string(ledger_.back().fields.at("message")),
              testing::StartsWith("no rank has reported a step for 10 min; the job is requeued"));
  run_ranks(ProgramKind::command);
  report(1, 7);
  expire(RunTimer::steps);
  EXPECT_EQ(count_events("steps_not_reported"), 1);
}

TEST_F(FirstStepsOfRanks, EachAttemptHasItsOwn) {
  plan_.max_restarts = 1;
  run_ranks(ProgramKind::command);
  for (const int rank : kAll) report(rank, 1);
  die_of(3, SIGKILL);
  kill_others({0, 1, 2});
  post(CheckpointFound{1200});
  post(AttemptClaimed{.number = 4, .nonce = "next"});
  say(0, StoreBound{4000});
  for (const int rank : kAll) report(rank, 1190);
  EXPECT_EQ(receivers<KillRanks>(), kAll);  // once, in the attempt before
}

}  // namespace
}  // namespace ddp::agent
