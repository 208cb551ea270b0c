#include "jobenv/agent/controller/restart_policy.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

using Next = RestartPolicy::Next;

class RestartPolicyTest : public testing::Test {
 protected:
  static LaunchPlan plan(ProgramKind program, int max_restarts) {
    LaunchPlan plan;
    plan.program = program;
    plan.max_restarts = max_restarts;
    return plan;
  }
  /// Rank 0 is to blame, at `step`; rank 1 is a step ahead.
  static AttemptOutcome failure(std::optional<std::uint64_t> step) {
    AttemptOutcome outcome;
    ExitRecord record;
    record.last_step = step;
    outcome.records[0] = record;
    outcome.cause = Failure{"broke", Phrase::predicate, "node1", record};
    if (step) record.last_step = *step + 1;
    outcome.records[1] = record;
    return outcome;
  }
  Next after(std::optional<std::uint64_t> step, std::optional<std::uint64_t> checkpoint) {
    auto decision =
        policy_.decide(failure(step), "failure at " + std::to_string(step.value_or(0)), checkpoint);
    remark_ = std::move(decision.remark);
    return decision.next;
  }

  RestartPolicy policy_{plan(ProgramKind::trainer, 2)};
  std::string remark_;
};

TEST_F(RestartPolicyTest, CountsFailuresUntilThereIsANewerCheckpoint) {
  EXPECT_EQ(after(5, 4), Next::restart);
  EXPECT_EQ(after(6, 4), Next::restart);
  EXPECT_EQ(after(9, 8), Next::restart) << "there is progress: this is the first failure since";
  EXPECT_EQ(after(10, 8), Next::restart);
  EXPECT_EQ(after(11, 8), Next::end);
  EXPECT_EQ(remark_,
            ". Not restarted: 5 attempts failed, the last 3 without a newer checkpoint "
            "(fault_tolerance.max_restarts is 2). First failure: rank 0 on node1 broke after step 5");
}

TEST_F(RestartPolicyTest, AnOlderCheckpointIsNoProgress) {
  EXPECT_EQ(after(9, 8), Next::restart);
  EXPECT_EQ(after(7, 4), Next::restart);
  EXPECT_EQ(after(9, 8), Next::end);
}

TEST_F(RestartPolicyTest, TwiceAtTheSameStepIsEnough) {
  EXPECT_EQ(after(5, 4), Next::restart);
  EXPECT_EQ(after(5, 4), Next::end);
  EXPECT_EQ(remark_,
            ". Not restarted: the last two attempts failed at the same step, with no newer checkpoint");
}

TEST_F(RestartPolicyTest, TwiceBeforeTheFirstStepIsEnough) {
  EXPECT_EQ(after(std::nullopt, std::nullopt), Next::restart);
  EXPECT_EQ(after(std::nullopt, std::nullopt), Next::end);
  EXPECT_NE(remark_.find("before the first step"), std::string::npos) << remark_;
}

TEST_F(RestartPolicyTest, ANodeThatIsLostTwiceSaysNothingAboutTheProgram) {
  AttemptOutcome lost = failure(std::nullopt);
  lost.cause = Failure{.what = "lost the agent on node2: nothing heard for 30 s",
                       .host = "node2",
                       .rank = {},
                       .agent_lost = true};
  EXPECT_EQ(policy_.decide(lost, "lost", std::nullopt).next, Next::restart);
  EXPECT_EQ(policy_.decide(lost, "lost", std::nullopt).next, Next::restart);
  EXPECT_EQ(policy_.decide(lost, "lost", std::nullopt).next, Next::end);
}

TEST_F(RestartPolicyTest, RanksThatWaitForEachOtherTwiceAreEnough) {
  AttemptOutcome stalled = failure(7);
  stalled.cause = Failure{.what = "no rank advances", .host = {}, .rank = {}};
  EXPECT_EQ(policy_.decide(stalled, "stalled", 4).next, Next::restart);
  EXPECT_EQ(policy_.decide(stalled, "stalled", 4).next, Next::end);
}

TEST_F(RestartPolicyTest, NodesThatDoNotComeTwiceAreEnough) {
  AttemptOutcome absent;
  absent.cause = Failure{.what = "2 of 4 ranks have connected", .host = "node2", .rank = {}};
  EXPECT_EQ(policy_.decide(absent, "absent", std::nullopt).next, Next::restart);
  EXPECT_EQ(policy_.decide(absent, "absent", std::nullopt).next, Next::end);
}

TEST_F(RestartPolicyTest, TheSameStepWithANewerCheckpointIsProgress) {
  EXPECT_EQ(after(5, 4), Next::restart);
  EXPECT_EQ(after(5, 5), Next::restart);
}

TEST_F(RestartPolicyTest, OfACommandAllFailuresCount) {
  policy_ = RestartPolicy(plan(ProgramKind::command, 2));
  EXPECT_EQ(after(std::nullopt, std::nullopt), Next::restart);
  EXPECT_EQ(after(std::nullopt, std::nullopt), Next::restart);
  EXPECT_EQ(policy_.render_restarts(), ", 2 restarts");
  EXPECT_EQ(after(std::nullopt, std::nullopt), Next::end);
  EXPECT_EQ(remark_, ". Not restarted: 3 attempts failed (fault_tolerance.max_restarts is 2)");
}

TEST_F(RestartPolicyTest, OfACommandThatTellsItsStepsAFurtherOneIsProgress) {
  policy_ = RestartPolicy(plan(ProgramKind::command, 1));
  EXPECT_EQ(after(5, std::nullopt), Next::restart);
  EXPECT_EQ(after(9, std::nullopt), Next::restart);
  EXPECT_EQ(after(7, std::nullopt), Next::end) << "it has been further";
  EXPECT_EQ(
      remark_,
      ". Not restarted: 3 attempts failed, the last 2 without a new step (fault_tolerance.max_restarts is "
      "1). First failure: rank 0 on node1 broke after step 5");
}

TEST_F(RestartPolicyTest, ACommandThatFailsTwiceAtTheSameStepIsNotRestarted) {
  policy_ = RestartPolicy(plan(ProgramKind::command, 5));
  EXPECT_EQ(after(5, std::nullopt), Next::restart);
  EXPECT_EQ(after(5, std::nullopt), Next::end);
  EXPECT_EQ(remark_, ". Not restarted: the last two attempts failed at the same step");
}

/// Of a command without steps: `rank` ended with `code` so long after its start.
AttemptOutcome exit_after(std::chrono::seconds lifetime, int rank, std::optional<int> code) {
  ExitRecord record;
  record.rank = rank;
  record.code = code;
  if (!code) record.signal = 11;
  record.started = std::chrono::system_clock::time_point(std::chrono::hours(1));
  record.ended = record.started + lifetime;
  AttemptOutcome outcome;
  outcome.records[rank] = record;
  outcome.cause = Failure{"ended with an exit code", Phrase::predicate, "node1", record};
  return outcome;
}

class CommandThatCannotBegin : public testing::Test {
 protected:
  static LaunchPlan plan() {
    LaunchPlan plan;
    plan.program = ProgramKind::command;
    plan.max_restarts = 3;
    return plan;
  }
  /// What follows the second of two failures.
  static RestartPolicy::Decision after(const AttemptOutcome& first, const AttemptOutcome& second) {
    RestartPolicy policy(plan());
    EXPECT_EQ(policy.decide(first, "it broke", std::nullopt).next, Next::restart);
    return policy.decide(second, "it broke", std::nullopt);
  }
  static constexpr std::chrono::seconds kSoon{2};
  static constexpr std::chrono::seconds kLate{30};
};

TEST_F(CommandThatCannotBegin, IsNotRestartedAThirdTime) {
  const auto decision = after(exit_after(kSoon, 1, 2), exit_after(kSoon, 1, 2));
  EXPECT_EQ(decision.next, Next::end);
  EXPECT_EQ(decision.remark,
            ". Not restarted: the last two attempts failed in the same way, both within 30 s of the start of "
            "the rank");
}

TEST_F(CommandThatCannotBegin, IsKnownByTheSameEarlyExitAlone) {
  EXPECT_EQ(after(exit_after(kSoon, 1, 2), exit_after(kSoon, 1, 3)).next, Next::restart) << "another code";
  EXPECT_EQ(after(exit_after(kSoon, 1, 2), exit_after(kSoon, 0, 2)).next, Next::restart) << "another rank";
  EXPECT_EQ(after(exit_after(kLate, 1, 2), exit_after(kSoon, 1, 2)).next, Next::restart) << "it had begun";
  EXPECT_EQ(after(exit_after(kSoon, 1, 2), exit_after(kLate, 1, 2)).next, Next::restart) << "it has begun";
  EXPECT_EQ(after(exit_after(kSoon, 1, {}), exit_after(kSoon, 1, {})).next, Next::restart) << "a signal";
}

TEST_F(CommandThatCannotBegin, IsKnownByTheLastWordsOfAnyRank) {
  auto first = exit_after(kSoon, 0, 1);
  auto second = exit_after(kSoon, 1, 1);
  first.cause->rank->stderr_tail = second.cause->rank->stderr_tail = "No module named 'torhc'";
  EXPECT_EQ(after(first, second).next, Next::end);
  second.cause->rank->stderr_tail = "connection refused";
  EXPECT_EQ(after(first, second).next, Next::restart);
}

TEST_F(CommandThatCannotBegin, HasNotToldAStep) {
  auto first = exit_after(kSoon, 1, 2);
  first.cause->rank->last_step = first.records[1].last_step = 5;
  EXPECT_EQ(after(first, exit_after(kSoon, 1, 2)).next, Next::restart);
  auto second = exit_after(kSoon, 1, 2);
  second.records[0].last_step = 1;
  EXPECT_EQ(after(exit_after(kSoon, 1, 2), second).next, Next::restart) << "another rank has told one";
}

TEST_F(RestartPolicyTest, WhatWouldRecurIsNotRestarted) {
  AttemptOutcome hopeless = failure(5);
  hopeless.cause->recurrence = Recurrence::certain;
  const auto decision = policy_.decide(hopeless, "broke", 4);
  EXPECT_EQ(decision.next, Next::end);
  EXPECT_EQ(decision.remark, ". Not restarted: another attempt would fail in the same way");
}

}  // namespace
}  // namespace ddp::agent
