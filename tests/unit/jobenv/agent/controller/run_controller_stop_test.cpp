#include "tests/unit/jobenv/agent/controller/controller_fixture.hpp"

namespace ddp::agent {
namespace {

using std::chrono::seconds;

TEST_F(Controller, SrunSpreadingASignalDoesNotHideALostAgent) {
  run_ranks();
  post(AgentLost{2, "the other side closed the connection"});
  say(0, Signalled{SIGTERM});
  for (const int rank : {0, 1, 3}) {
    be_killed(rank);
    say(rank, Drained{});
  }
  expire(RunTimer::notice);
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
}

TEST_F(Controller, SrunSpreadingASignalEarlyDoesNotHideALostAgentEither) {
  run_ranks();
  say(0, Signalled{SIGTERM});
  post(AgentLost{2, "the other side closed the connection"});
  for (const int rank : {0, 1, 3}) {
    be_killed(rank);
    say(rank, Drained{});
  }
  expire(RunTimer::notice);
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
}

TEST_F(Controller, OnlyPeopleWhoAskTwiceAreInAHurry) {
  run_ranks();
  post(StopWanted{StopReason::cancel, SIGTERM});
  EXPECT_TRUE(controller_->stop_wanted());
  post(StopWanted{StopReason::cancel, 0});
  EXPECT_TRUE(receivers<KillRanks>().empty());
  post(StopWanted{StopReason::cancel, SIGTERM});
  EXPECT_EQ(receivers<KillRanks>(), kAll);
}

TEST_F(Controller, ALostAgentOutranksTheRanksThatMissTheirPeer) {
  run_ranks();
  exit_with(0, kExitPeerLost);
  expire(RunTimer::blame);
  for (const int rank : {1, 3}) be_killed(rank);
  for (const int rank : {0, 1, 3}) say(rank, Drained{});
  EXPECT_FALSE(end_);
  post(AgentLost{2, "nothing heard for 30 s"});
  ASSERT_TRUE(end_);
  EXPECT_TRUE(end_->message.starts_with("lost the agent on node2: nothing heard for 30 s")) << end_->message;
  EXPECT_TRUE(end_->agent_lost);
}

TEST_F(Controller, AStopLeavesTheRanksTimeForACheckpoint) {
  run_ranks();
  post(StopWanted{StopReason::cancel, SIGTERM});
  EXPECT_EQ(receivers<StopRanks>(), kAll);
  EXPECT_TRUE(receivers<KillRanks>().empty());
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, kExitStopped);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
  EXPECT_EQ(end_->exit_code, 130);
  EXPECT_EQ(end_->message, "cancelled; all ranks stopped after a checkpoint at step 120");
  EXPECT_FALSE(end_->cause);
}

TEST_F(Controller, AStopWithinAnEvaluationLeavesNoCheckpoint) {
  run_ranks();
  post(StopWanted{StopReason::cancel, SIGTERM});
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, kExitStopped, Phase::evaluate);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message, "cancelled; the ranks were stopped at step 120");
}

TEST_F(Controller, RanksThatDoNotStopAreKilledAfterTheGrace) {
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::interrupt, SIGTERM});
  die_of(0, SIGTERM);
  expire(RunTimer::grace);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  for (const int rank : {1, 2, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
  EXPECT_EQ(end_->exit_code, 143);
  EXPECT_EQ(end_->message,
            "cancelled outside ddpsubmit (Slurm sent SIGTERM); the ranks were stopped at step 120; 3 ranks "
            "had to be killed");
}

class ControllerOfSignal : public Controller {
 protected:
  /// A command whose file names USR1 is told that its time ends.
  void announce_end() {
    plan_.stop_signal = "USR1";
    run_ranks(ProgramKind::command);
    post(StopWanted{StopReason::time_limit, SIGUSR1, seconds(60)});
  }
};

TEST_F(ControllerOfSignal, RanksThatAllDieOfTheStopSignalHaveNoHandler) {
  announce_end();
  for (int rank = 0; rank < 4; ++rank) die_of(rank, SIGUSR1);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->unhandled_signal, "USR1");
  EXPECT_EQ(end_->message,
            "the time limit was reached; the ranks were stopped at step 120; they died of USR1: the program "
            "has no handler for it and saved nothing at the stop");
}

TEST_F(ControllerOfSignal, WhatAShellHasStartedMayHaveSaved) {
  announce_end();
  for (int rank = 0; rank < 4; ++rank) {
    ExitRecord exit = record(rank);
    exit.signal = SIGUSR1;
    exit.outlived = rank == 2;
    say(rank, RankExited{exit, ""});
  }
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->unhandled_signal, "");
}

TEST_F(ControllerOfSignal, ARankThatEndsOtherwiseMayHaveSaved) {
  announce_end();
  exit_with(0, 0);
  for (const int rank : {1, 2, 3}) die_of(rank, SIGUSR1);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->unhandled_signal, "");
  EXPECT_EQ(end_->message, "the time limit was reached; the ranks were stopped at step 120");
}

TEST_F(Controller, ASecondSignalKillsAtOnce) {
  run_ranks();
  post(StopWanted{StopReason::interrupt, SIGINT});
  EXPECT_TRUE(receivers<KillRanks>().empty());
  post(StopWanted{StopReason::interrupt, SIGINT});
  EXPECT_EQ(receivers<KillRanks>(), kAll);
}

TEST_F(Controller, TheFirstSignalAfterTheTimeLimitDoesNotKill) {
  run_ranks();
  expire(RunTimer::time_limit);
  EXPECT_EQ(receivers<StopRanks>(), kAll);
  post(StopWanted{StopReason::interrupt, SIGINT});
  EXPECT_TRUE(receivers<KillRanks>().empty());
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, kExitStopped);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::timed_out);
  EXPECT_EQ(end_->exit_code, 1);
}

TEST_F(Controller, ASchedulersSignalAndOneRequestAreNotTwoRequests) {
  run_ranks();
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  post(StopWanted{StopReason::interrupt, SIGTERM});
  EXPECT_TRUE(receivers<KillRanks>().empty());
  post(StopWanted{StopReason::interrupt, SIGTERM});
  EXPECT_EQ(receivers<KillRanks>(), kAll);
}

TEST_F(Controller, RanksMayUseTheTimeThatTheSchedulerLeaves) {
  run_ranks();
  post(StopWanted{StopReason::time_limit, SIGUSR2, std::chrono::seconds(120)});
  EXPECT_EQ(timers_.back().timer, RunTimer::grace);
  EXPECT_EQ(timers_.back().delay, std::chrono::seconds(110)) << "less what head needs itself";
}

TEST_F(Controller, TheSchedulerMayCorrectWhatASignalSeemedToMean) {
  run_ranks();
  post(StopWanted{StopReason::interrupt, SIGTERM});
  post(StopWanted{StopReason::preempted, SIGTERM});
  EXPECT_EQ(reasons(), (std::vector<std::string>{"interrupt", "preempted"}));
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, kExitStopped);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::preempted);
  EXPECT_EQ(ledger_.back().fields.at("outcome"), "preempted");
  EXPECT_EQ(end_->last_step, 120u);
}

TEST_F(Controller, ASubmitterThatIsGoneLeavesThreeSeconds) {
  run_ranks();
  post(StopWanted{StopReason::detached_submitter, 0});
  EXPECT_EQ(timers_.back().timer, RunTimer::grace);
  EXPECT_EQ(timers_.back().delay, seconds(3));
}

TEST_F(Controller, TheSchedulersSignalIsHandedToCommandsOnlyIfThePlanNamesOne) {
  plan_.stop_signal = "USR1";
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::time_limit, SIGUSR1});
  EXPECT_EQ(std::get<StopRanks>(sent_.back().second).signal, SIGUSR1);
}

TEST_F(Controller, CommandsAreInterruptedAsInATerminal) {
  plan_.stop_signal = "USR1";
  for (const int signal : {SIGINT, SIGTERM}) {
    sent_.clear();
    run_ranks(ProgramKind::command);
    post(StopWanted{StopReason::interrupt, signal});
    EXPECT_EQ(std::get<StopRanks>(sent_.back().second).signal, signal);
  }
}

TEST_F(Controller, OnlyRanksThatNobodyHasAskedToStopHaveNoticeOfAKill) {
  run_ranks(ProgramKind::command);
  exit_with(2, 3);
  EXPECT_EQ(std::get<KillRanks>(sent_.back().second).notice, std::chrono::seconds(2));
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::cancel, SIGTERM});
  expire(RunTimer::grace);
  EXPECT_EQ(std::get<KillRanks>(sent_.back().second).notice, std::chrono::seconds(0));
}

TEST_F(Controller, TheGraceEndsBeforeTheSchedulerKills) {
  plan_.kill_wait = std::chrono::seconds(30);
  run_ranks(ProgramKind::command);
  post(StopWanted{StopReason::cancel, SIGTERM});
  EXPECT_EQ(timers_.back().timer, RunTimer::grace);
  EXPECT_EQ(timers_.back().delay, std::chrono::seconds(24));
}

TEST_F(Controller, ARankThatDiesOfTermBeforeTheNoticeIsNoFailure) {
  run_ranks(ProgramKind::command);
  die_of(1, SIGTERM);
  EXPECT_TRUE(receivers<KillRanks>().empty());
  say(1, Signalled{SIGTERM});
  EXPECT_EQ(receivers<StopRanks>(), kAll);
  for (const int rank : {0, 2, 3}) die_of(rank, SIGTERM);
  drain_all();
  EXPECT_FALSE(end_) << "head's own signal may still come";
  post(StopWanted{StopReason::interrupt, SIGTERM});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
  EXPECT_EQ(reasons(), (std::vector<std::string>{"preempted", "interrupt"}));
}

TEST_F(Controller, ASignalThatOnlyAgentsGotIsPreemption) {
  run_ranks(ProgramKind::command);
  for (int rank = 0; rank < 4; ++rank) say(rank, Signalled{SIGTERM});
  EXPECT_EQ(reasons(), std::vector<std::string>{"preempted"});
  for (int rank = 0; rank < 4; ++rank) die_of(rank, SIGTERM);
  drain_all();
  expire(RunTimer::notice);
  EXPECT_FALSE(end_) << "Slurm is asked why";
  post(StopStands{});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::preempted);
  EXPECT_EQ(end_->exit_code, 1);
}

TEST_F(Controller, SlurmsAnswerNamesTheStopThoughItComesAfterTheRanksHaveLeft) {
  run_ranks();
  post(StopWanted{StopReason::interrupt, SIGTERM, std::nullopt, Certainty::asked});
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, kExitStopped);
  drain_all();
  EXPECT_FALSE(end_);
  post(StopWanted{StopReason::node_failed, SIGTERM});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_TRUE(end_->message.starts_with("a node of the job failed; all ranks stopped")) << end_->message;
  EXPECT_EQ(ledger_.back().fields.at("outcome"), "failed");
}

const StopWanted kUndecided{StopReason::time_limit, SIGUSR2, seconds(120), Certainty::asked};

TEST_F(Controller, RanksStopWhileSlurmIsAskedWhatTheStopSignalMeant) {
  plan_.stop_signal = "USR2";
  run_ranks(ProgramKind::command);
  post(kUndecided);
  EXPECT_EQ(receivers<StopRanks>(), kAll);
  EXPECT_EQ(std::get<StopRanks>(sent_.back().second).signal, SIGUSR2);
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, 0);
  drain_all();
  EXPECT_FALSE(end_);
  post(StopWanted{StopReason::time_limit, SIGUSR2, seconds(50)});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::timed_out);
  EXPECT_EQ(reasons(), std::vector<std::string>{"time_limit"});
}

TEST_F(Controller, TheTimeThatIsLeftIsCorrectedWithTheAnswer) {
  run_ranks();
  post(kUndecided);
  post(StopWanted{StopReason::time_limit, SIGUSR2, seconds(60)});
  EXPECT_EQ(graces(), (std::vector<std::chrono::milliseconds>{seconds(110), seconds(50)}));
}

TEST_F(Controller, TheGraceIsShorterWhereTheJobEndsBeforeItsTimeLimit) {
  plan_.kill_wait = seconds(30);
  run_ranks();
  post(JobEnds{});
  EXPECT_TRUE(graces().empty()) << "StopWanted stops the ranks";
  post(kUndecided);
  post(JobEnds{});
  EXPECT_EQ(graces(), (std::vector<std::chrono::milliseconds>{seconds(110), seconds(24)}));
}

TEST_F(Controller, TheAnswerMayBeThatSomebodyHasSentTheStopSignal) {
  run_ranks();
  post(kUndecided);
  post(StopWanted{StopReason::interrupt, SIGUSR2});
  EXPECT_TRUE(receivers<KillRanks>().empty());
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, kExitStopped);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message, "interrupted by SIGUSR2; all ranks stopped after a checkpoint at step 120");
  EXPECT_EQ(reasons(), (std::vector<std::string>{"time_limit", "interrupt"}));
}

TEST_F(Controller, ASecondRequestKillsAlsoWhenItExplainsTheFirst) {
  run_ranks();
  post(StopWanted{StopReason::interrupt, SIGTERM, std::nullopt, Certainty::asked});
  post(StopWanted{StopReason::cancel, SIGTERM});
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  EXPECT_EQ(reasons(), (std::vector<std::string>{"interrupt", "cancel"}));
}

TEST_F(Controller, SlurmsAnswerIsNotAwaitedForEver) {
  run_ranks();
  post(StopWanted{StopReason::interrupt, SIGTERM, std::nullopt, Certainty::asked});
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, kExitStopped);
  drain_all();
  expire(RunTimer::answer);
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
}

TEST_F(Controller, ARankThatDiesOfTermWithoutAnyNoticeHasFailed) {
  run_ranks(ProgramKind::command);
  die_of(1, SIGTERM);
  expire(RunTimer::notice);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  for (const int rank : {0, 2, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_EQ(end_->message,
            "rank 1 on node1 was killed by signal 15 (TERM) after step 120; the other 3 ranks were stopped");
}

TEST_F(Controller, ATrainerThatFailsWhileStoppingIsNamed) {
  run_ranks();
  post(StopWanted{StopReason::time_limit, SIGUSR2});
  exit_with(0, 1, Phase::checkpoint);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  for (const int rank : {1, 2, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::timed_out);
  ASSERT_TRUE(end_->cause && end_->cause->rank);
  EXPECT_EQ(end_->cause->rank->rank, 0);
}

TEST_F(Controller, AStopThatComesAfterTheLastRankWasDoneChangesNothing) {
  run_ranks(ProgramKind::command);
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, 0);
  post(StopWanted{StopReason::interrupt, SIGINT});
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::succeeded);
}

TEST_F(Controller, AStopBeforeTheRanksEndsTheRun) {
  begin();
  join(0);
  post(StopWanted{StopReason::cancel, SIGTERM});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
  EXPECT_EQ(end_->message, "cancelled before the ranks had started");
}

TEST_F(Controller, AStopWhileTheStoreIsBoundEndsTheRun) {
  begin();
  for (int rank = 0; rank < 4; ++rank) join(rank);
  post(StopWanted{StopReason::cancel, SIGTERM});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
}

TEST_F(Controller, ALauncherThatEndsBecauseOfACancelIsNoFailure) {
  begin();
  post(LauncherEnded{"srun was killed by signal TERM"});
  post(StopWanted{StopReason::cancel, SIGTERM});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
}

}  // namespace
}  // namespace ddp::agent
