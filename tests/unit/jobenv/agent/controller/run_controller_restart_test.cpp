#include "tests/unit/jobenv/agent/controller/controller_fixture.hpp"

namespace ddp::agent {
namespace {

/// A run with restarts, whose first attempt is the third of its folder.
class RestartingController : public Controller {
 protected:
  void SetUp() override {
    plan_.max_restarts = 2;
    run_ranks();
  }
  void fail_with(int rank) {
    die_of(rank, SIGKILL);
    for (int other = 0; other < 4; ++other) {
      if (other != rank) be_killed(other);
    }
  }
  void lose_agent(int agent) {
    post(AgentLost{agent, "the other side closed the connection"});
    for (int other = 0; other < 4; ++other) {
      if (other == agent) continue;
      be_killed(other);
      say(other, Drained{});
    }
    expire(RunTimer::notice);
  }
  /// What head answers when the controller asks for another attempt.
  void grant(std::optional<std::uint64_t> checkpoint = 100) {
    post(CheckpointFound{checkpoint});
    post(AttemptClaimed{4, "next"});
  }
  [[nodiscard]] std::vector<nlohmann::json> lines(const std::string& event) const {
    std::vector<nlohmann::json> found;
    for (const WriteLedger& line : ledger_) {
      if (line.event == event) found.push_back(line.fields);
    }
    return found;
  }
};

TEST_F(RestartingController, StartsAgainInTheSameAgentsWhenAllRanksAreReaped) {
  fail_with(2);
  for (const int agent : {0, 1, 3}) say(agent, Drained{});
  EXPECT_EQ(checkpoints_asked_, 0) << "the ranks of one agent may live";
  say(2, Drained{});
  EXPECT_EQ(checkpoints_asked_, 1);
  sent_.clear();
  grant();
  EXPECT_EQ(relaunches_, 0);
  EXPECT_EQ(receivers<BindStore>(), Everyone{0});
  say(0, StoreBound{4001});
  EXPECT_EQ(receivers<StartAttempt>(), kAll);
  const auto& start = std::get<StartAttempt>(sent_.back().second);
  EXPECT_EQ(start.attempt, 4);
  EXPECT_EQ(start.nonce, "next");
  EXPECT_EQ(start.master_port, 4001);
  EXPECT_FALSE(end_);
}

TEST_F(RestartingController, TellsWhyAndWhereItGoesOn) {
  fail_with(2);
  drain_all();
  grant();
  ASSERT_EQ(lines("restarting").size(), 1u);
  const auto fields = lines("restarting")[0];
  EXPECT_EQ(fields.at("attempt"), 3);
  EXPECT_EQ(fields.at("next_attempt"), 4);
  EXPECT_EQ(fields.at("message"),
            "rank 2 on node2 was killed by signal 9 (KILL) in step 121; the other 3 ranks were stopped");
  EXPECT_EQ(fields.at("cause").at("rank"), 2);
  EXPECT_EQ(fields.at("resumes_from"), 100);
  EXPECT_EQ(fields.at("lost_steps"), 20);
  const auto ended = lines("attempt_ended")[0];
  EXPECT_EQ(ended.at("outcome"), "failed");
  EXPECT_EQ(ended.at("last_step"), 120);
  EXPECT_EQ(ended.at("message"), fields.at("message"));
}

TEST_F(RestartingController, WithoutACheckpointAllStepsAreLost) {
  fail_with(2);
  drain_all();
  grant(std::nullopt);
  EXPECT_TRUE(lines("restarting")[0].at("resumes_from").is_null());
  EXPECT_EQ(lines("restarting")[0].at("lost_steps"), 120);
}

TEST_F(RestartingController, TheTimersOfAnAttemptDoNotReachTheNext) {
  fail_with(2);
  drain_all();
  EXPECT_TRUE(armed(RunTimer::drain));
  grant();
  EXPECT_FALSE(armed(RunTimer::drain));
  EXPECT_TRUE(armed(RunTimer::gather)) << "the store is to be bound within its time";
}

TEST_F(RestartingController, ASuccessAfterARestartSaysSo) {
  fail_with(2);
  drain_all();
  grant();
  say(0, StoreBound{4001});
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, 0, Phase::done);
  EXPECT_FALSE(end_);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::succeeded);
  EXPECT_EQ(end_->message, "4 ranks finished at step 120, 1 restart");
}

TEST_F(RestartingController, WithALostAgentNewOnesAreBroughtToLife) {
  lose_agent(2);
  grant();
  EXPECT_EQ(relaunches_, 1);
  EXPECT_TRUE(receivers<BindStore>() == Everyone{0}) << "only that of the first attempt";
  sent_.clear();
  post(AgentLost{1, "the old ones go, too"});
  for (int rank = 0; rank < 4; ++rank) {
    const std::string host = rank < 2 ? "node1" : "node2";
    post(AgentJoined{10 + rank, Hello{host, "", {{rank, rank % 2, rank / 2}}}, {"10.0.0.1", "10.0.0.2"}});
  }
  EXPECT_EQ(receivers<BindStore>(), Everyone{10});
  say(10, StoreBound{4001});
  EXPECT_EQ(receivers<StartAttempt>(), (Everyone{10, 11, 12, 13}));
}

TEST_F(RestartingController, NewAgentsHaveTheirTimeFromTheMomentTheyAreStarted) {
  lose_agent(2);
  grant();
  EXPECT_FALSE(armed(RunTimer::gather)) << "the old ones are waited for";
  post(LauncherStarted{});
  EXPECT_TRUE(armed(RunTimer::gather));
}

TEST_F(RestartingController, AnAgentThatIsLostAfterItsRanksAreReapedIsReplacedToo) {
  fail_with(2);
  say(2, Drained{});
  post(AgentLost{2, "the other side closed the connection"});
  for (const int agent : {0, 1, 3}) say(agent, Drained{});
  grant();
  EXPECT_EQ(relaunches_, 1);
}

TEST_F(RestartingController, NothingIsStartedBesideRanksThatNothingEnds) {
  die_of(2, SIGKILL);
  for (const int rank : {0, 3}) be_killed(rank);
  for (const int agent : {0, 2, 3}) say(agent, Drained{});
  expire(RunTimer::drain);
  ASSERT_TRUE(end_);
  EXPECT_EQ(checkpoints_asked_, 0);
  EXPECT_TRUE(
      end_->message.ends_with("node1 did not confirm that all processes of the run have ended there"));
}

TEST_F(RestartingController, TheLastWordTellsOfAllAttempts) {
  fail_with(2);
  drain_all();
  grant();
  say(0, StoreBound{4001});
  fail_with(1);
  drain_all();
  post(CheckpointFound{100});
  ASSERT_TRUE(end_) << "twice at the same step";
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_EQ(end_->message,
            "rank 1 on node1 was killed by signal 9 (KILL) in step 121; the other 3 ranks were stopped. Not "
            "restarted: the last two attempts failed at the same step, with no newer checkpoint. First "
            "failure: rank 2 on node2 was killed by signal 9 (KILL) in step 121");
}

TEST_F(RestartingController, AStopIsNoReasonForARestart) {
  post(StopWanted{StopReason::cancel, SIGTERM});
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, 1);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(checkpoints_asked_, 0);
}

TEST_F(RestartingController, AStopWhileTheRanksOfAFailedAttemptAreKilledEndsTheRun) {
  fail_with(2);
  post(StopWanted{StopReason::cancel, SIGTERM});
  drain_all();
  post(CheckpointFound{100});
  ASSERT_TRUE(end_);
  EXPECT_EQ(claims_wanted_, 0);
  EXPECT_EQ(end_->state, RunState::cancelled);
  EXPECT_EQ(reasons(), (std::vector<std::string>{"cancel"}));
}

TEST_F(RestartingController, AStopBetweenTwoAttemptsEndsTheRun) {
  fail_with(2);
  drain_all();
  post(CheckpointFound{100});
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  post(AttemptClaimed{4, "next"});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::timed_out);
}

TEST_F(RestartingController, AStopWhileNewAgentsAreAwaitedEndsTheRun) {
  lose_agent(2);
  grant();
  post(StopWanted{StopReason::interrupt, SIGINT});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
  EXPECT_EQ(end_->message,
            "interrupted by SIGINT before the ranks had started. The attempt before failed: lost the agent "
            "on node2: the other side closed the connection; 3 ranks were stopped");
}

TEST_F(RestartingController, PreemptionWhileTheRanksOfAFailedAttemptAreKilledEndsTheRun) {
  fail_with(2);
  say(1, Signalled{SIGTERM});
  drain_all();
  post(CheckpointFound{100});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::preempted);
}

TEST_F(RestartingController, WhatSrunSpreadsWhenAnAgentIsLostIsNoStop) {
  post(AgentLost{2, "the other side closed the connection"});
  say(1, Signalled{SIGTERM});
  for (const int agent : {0, 1, 3}) {
    be_killed(agent);
    say(agent, Drained{});
  }
  expire(RunTimer::notice);
  grant();
  EXPECT_EQ(relaunches_, 1);
}

TEST_F(RestartingController, AnAttemptThatAnotherHeadHasClaimedIsLeftToIt) {
  fail_with(2);
  drain_all();
  post(CheckpointFound{100});
  EXPECT_EQ(claims_wanted_, 1);
  post(Superseded{4});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
}

TEST_F(RestartingController, AClaimThatFailsIsSaid) {
  fail_with(2);
  drain_all();
  post(CheckpointFound{100});
  post(ClaimFailed{"cannot create attempts/4: No space left on device"});
  ASSERT_TRUE(end_);
  EXPECT_TRUE(end_->message.ends_with(
      "; there is no further attempt: cannot create attempts/4: No space left on device"))
      << end_->message;
}

TEST_F(RestartingController, WhatTheTrainerRefusesIsNotTriedAgain) {
  for (const int code : {2, 3, 9}) {
    SetUp();
    end_.reset();
    exit_with(1, code);
    for (const int other : {0, 2, 3}) be_killed(other);
    drain_all();
    post(CheckpointFound{100});
    ASSERT_TRUE(end_) << code;
    EXPECT_TRUE(end_->message.ends_with("Not restarted: another attempt would fail in the same way")) << code;
    end_.reset();
  }
}

TEST_F(RestartingController, AProgramThatCannotBeStartedIsNotTriedAgain) {
  ExitRecord exit = record(1);
  exit.code = 127;
  say(1, RankExited{exit, "cannot start 'foo': No such file or directory", Recurrence::certain});
  for (const int other : {0, 2, 3}) be_killed(other);
  drain_all();
  post(CheckpointFound{100});
  EXPECT_TRUE(end_);
  EXPECT_EQ(claims_wanted_, 0);
}

}  // namespace
}  // namespace ddp::agent
