#include "tests/unit/jobenv/agent/controller/controller_fixture.hpp"

namespace ddp::agent {
namespace {

using std::chrono::seconds;

TEST_F(Controller, StartsNobodyBeforeTheLastAgentIsThere) {
  begin();
  for (const int rank : {3, 0, 2}) join(rank);
  EXPECT_TRUE(sent_.empty());
  join(1);
  EXPECT_EQ(receivers<BindStore>(), Everyone{0});
  EXPECT_TRUE(receivers<StartAttempt>().empty());
  say(0, StoreBound{4000});
  EXPECT_EQ(receivers<StartAttempt>(), kAll);
}

TEST_F(Controller, TellsEachAgentWhereTheStoreIsAndItsOwnInterface) {
  begin();
  controller_->set_deadline(std::chrono::system_clock::time_point(seconds(5)));
  for (int rank = 0; rank < 4; ++rank) join(rank);
  EXPECT_EQ(std::get<BindStore>(sent_.front().second).address, "10.0.0.1");
  say(0, StoreBound{4000});
  const auto& start = std::get<StartAttempt>(sent_.back().second);
  const StartAttempt expected{3,
                              "nonce",
                              "10.0.0.1",
                              4000,
                              {"node1", "node2"},
                              {0, 1},
                              "10.0.0.2",
                              std::chrono::system_clock::time_point(seconds(5))};
  EXPECT_EQ(start, expected);
}

TEST_F(Controller, SucceedsWhenAllRanksAreDoneAndNothingIsLeft) {
  run_ranks();
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, 0, Phase::done);
  EXPECT_FALSE(end_);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::succeeded);
  EXPECT_EQ(end_->exit_code, 0);
  EXPECT_EQ(end_->message, "4 ranks finished at step 120");
  EXPECT_TRUE(receivers<KillRanks>().empty());
}

TEST_F(Controller, NamesTheFirstFailureAndKillsTheOthersAtOnce) {
  run_ranks();
  die_of(2, SIGKILL);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  for (const int rank : {0, 1, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_EQ(end_->exit_code, 1);
  EXPECT_EQ(end_->message,
            "rank 2 on node2 was killed by signal 9 (KILL) in step 121; the other 3 ranks were stopped");
  ASSERT_TRUE(end_->cause && end_->cause->rank);
  EXPECT_EQ(end_->cause->rank->rank, 2);
}

TEST_F(Controller, CountsTheRanksThatFailAfterTheFirst) {
  run_ranks(ProgramKind::command);
  exit_with(2, 3);
  exit_with(0, 1);
  for (const int rank : {1, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(
      end_->message,
      "rank 2 on node2 ended with exit code 3 after step 120; 1 more rank failed; 2 of the other 3 ranks "
      "were stopped");
}

TEST_F(Controller, WaitsForTheOneToBlameWhenAPeerIsHeardFirst) {
  run_ranks();
  exit_with(0, kExitPeerLost);
  EXPECT_TRUE(receivers<KillRanks>().empty()) << "the rank that broke would be killed before it can say so";
  die_of(3, SIGSEGV);
  exit_with(1, kExitPeerLost);
  be_killed(2);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message,
            "rank 3 on node2 was killed by signal 11 (SEGV) in step 121; 1 of the other 3 ranks was stopped");
}

TEST_F(Controller, BlamesALostPeerWhenThereIsNobodyElse) {
  run_ranks();
  exit_with(1, kExitPeerLost);
  expire(RunTimer::blame);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  for (const int rank : {0, 2, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message,
            "rank 1 on node1 lost the connection to another rank (exit code 76) in step 121; the other 3 "
            "ranks were stopped");
}

TEST_F(Controller, NamesTheOneRankThatItsPeersHaveLost) {
  run_ranks();
  for (const int rank : {1, 0, 3}) exit_with(rank, kExitPeerLost);
  expire(RunTimer::blame);
  be_killed(2);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message,
            "rank 1 on node1 lost the connection to another rank (exit code 76) in step 121; rank 2 on node2 "
            "did not respond and was killed");
}

TEST_F(Controller, ATrainerThatLeavesWithZeroTooEarlyHasFailed) {
  run_ranks();
  exit_with(1, 0, Phase::evaluate);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  for (const int rank : {0, 2, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_EQ(
      end_->message,
      "rank 1 on node1 ended with exit code 0 before the training was done, in the evaluation after step "
      "120; the other 3 ranks were stopped");
}

TEST_F(Controller, ACommandMayLeaveWithZeroBeforeTheOthers) {
  run_ranks(ProgramKind::command);
  exit_with(1, 0, Phase::start);
  EXPECT_TRUE(receivers<KillRanks>().empty());
  EXPECT_TRUE(armed(RunTimer::exit));
  expire(RunTimer::exit);
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  for (const int rank : {0, 2, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message,
            "rank 0 on node1 was still running 600 s after the first rank was done; 3 ranks were stopped");
}

TEST_F(Controller, TheWordsOfTheAgentAreTheCause) {
  run_ranks(ProgramKind::command);
  ExitRecord exit = record(0);
  exit.code = 127;
  exit.last_step.reset();
  say(0, RankExited{exit, "cannot start 'foo': No such file or directory"});
  for (const int rank : {1, 2, 3}) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message,
            "rank 0 on node1: cannot start 'foo': No such file or directory; the other 3 ranks were stopped");
}

TEST_F(Controller, AFailedAgentEndsTheRun) {
  run_ranks();
  say(2, AgentFailed{"cannot create the folder '/x': Read-only file system"});
  EXPECT_EQ(receivers<KillRanks>(), (Everyone{0, 1, 3}));
  for (const int rank : {0, 1, 3}) {
    be_killed(rank);
    say(rank, Drained{});
  }
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message, "cannot create the folder '/x': Read-only file system; 3 ranks were stopped");
}

TEST_F(Controller, BesidesAHostThatFailedARankIsNotOneMore) {
  run_ranks();
  say(2, AgentFailed{"cannot create the folder '/x': Read-only file system"});
  exit_with(0, 3);
  for (const int rank : {1, 3}) be_killed(rank);
  for (const int agent : {0, 1, 3}) say(agent, Drained{});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message,
            "cannot create the folder '/x': Read-only file system; 1 rank failed; 2 ranks were stopped");
}

TEST_F(Controller, ALostAgentIsTheCauseAndItsHostIsNamed) {
  run_ranks();
  post(AgentLost{2, "nothing heard for 30 s"});
  EXPECT_EQ(receivers<KillRanks>(), (Everyone{0, 1, 3}));
  for (const int rank : {0, 1, 3}) {
    exit_with(rank, kExitPeerLost);
    say(rank, Drained{});
  }
  EXPECT_FALSE(end_) << "word of a stop may still come";
  expire(RunTimer::notice);
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_EQ(
      end_->message,
      "lost the agent on node2: nothing heard for 30 s; node2 did not confirm that all processes of the run "
      "have ended there");
}

TEST_F(Controller, AnAgentThatIsLostAfterItsRankWasDoneIsNoFailure) {
  run_ranks();
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, 0, Phase::done);
  for (const int agent : {0, 1, 3}) say(agent, Drained{});
  post(AgentLost{2, "reset"});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::succeeded);
}

TEST_F(Controller, ALaterClaimEndsTheRanks) {
  run_ranks();
  post(Superseded{4});
  EXPECT_EQ(receivers<KillRanks>(), kAll);
  for (const int rank : kAll) be_killed(rank);
  drain_all();
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message, "attempt 4 was claimed by another head; 4 ranks were stopped");
}

TEST_F(Controller, MissingAgentsAreNamed) {
  begin();
  join(0);
  join(3);
  expire(RunTimer::gather);
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_EQ(end_->message, "2 of 4 ranks have connected; missing: 1, 2");
}

TEST_F(Controller, TellsOfStrangersAtItsPortWhereAgentsHaveNotCome) {
  begin();
  join(0);
  post(TimerExpired{RunTimer::gather, 2345});
  EXPECT_EQ(end_->message,
            "1 of 4 ranks have connected; missing: 1, 2, 3; no agent from node2; head refused 2345 "
            "connections that did not identify themselves");
}

TEST_F(Controller, AnAgentMayComeAgainBeforeTheStart) {
  begin();
  join(0);
  post(AgentLost{0, "it tried another address"});
  for (int rank = 0; rank < 4; ++rank) join(rank);
  say(0, StoreBound{4000});
  EXPECT_EQ(receivers<StartAttempt>(), kAll);
}

TEST_F(Controller, ALauncherThatEndsWhileTheStoreIsBoundIsTheCause) {
  begin();
  for (int rank = 0; rank < 4; ++rank) join(rank);
  post(LauncherEnded{"srun ended with exit code 1"});
  expire(RunTimer::notice);
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message, "srun ended with exit code 1 before the ranks had started");
}

TEST_F(Controller, ALauncherThatEndsBeforeTheStartIsTheCause) {
  begin();
  join(0);
  post(LauncherEnded{"srun ended with exit code 1"});
  EXPECT_FALSE(end_) << "word of a stop may still come";
  expire(RunTimer::notice);
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message,
            "srun ended with exit code 1 before the agents of all ranks had connected (1 of 4 ranks have "
            "connected; "
            "missing: 1, 2, 3; no agent from node2)");
}

TEST_F(Controller, AnAgentThatDoesNotFitEndsTheRun) {
  begin();
  post(AgentJoined{0, Hello{"stranger", "", {{0, 0, 0}}}, {}});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->message, "agent on stranger: this host is not one of the job's");
}

TEST_F(Controller, EndsAtOnceWhenAnAgentCannotWork) {
  start();
  post(AgentJoined{0, Hello{"node1", "", {{0, 0, 0}}, "this host has no interface 'ib9'"}, {}});
  ASSERT_TRUE(end_);
  EXPECT_NE(end_->message.find("no interface 'ib9'"), std::string::npos) << end_->message;
  EXPECT_TRUE(receivers<StartAttempt>().empty());
}

TEST_F(Controller, DoesNotWaitForEverForRanksThatNobodyCanKill) {
  run_ranks();
  die_of(0, SIGSEGV);
  for (const int rank : {1, 2}) be_killed(rank);
  for (const int agent : {0, 1, 2}) say(agent, Drained{});
  EXPECT_FALSE(end_);
  expire(RunTimer::drain);
  ASSERT_TRUE(end_);
  EXPECT_TRUE(
      end_->message.ends_with("; node2 did not confirm that all processes of the run have ended there"));
}

TEST_F(Controller, WritesTheStoryIntoTheLedger) {
  run_ranks();
  say(2, RankStarted{2, 77});
  die_of(2, SIGKILL);
  for (const int rank : {0, 1, 3}) be_killed(rank);
  drain_all();
  std::vector<std::string> names;
  for (const WriteLedger& line : ledger_) {
    EXPECT_EQ(line.fields.at("attempt"), 3);
    names.push_back(line.event);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"attempt_started", "rank_started", "rank_exited", "kill_ordered",
                                             "rank_exited", "rank_exited", "rank_exited", "attempt_ended"}));
  EXPECT_EQ(ledger_[1].fields, (nlohmann::json{{"attempt", 3}, {"rank", 2}, {"host", "node2"}, {"pid", 77}}));
  EXPECT_EQ(ledger_[2].fields.at("signal"), 9);
  EXPECT_FALSE(ledger_[2].fields.contains("code"));
  EXPECT_EQ(ledger_.back().fields.at("outcome"), "failed");
}

TEST_F(Controller, TellsTheCauseOfAnAttemptAndWhenThatRankEnded) {
  run_ranks();
  ExitRecord exit = record(2);
  exit.signal = SIGKILL;
  exit.ended = std::chrono::system_clock::time_point{std::chrono::milliseconds(1500)};
  exit.stderr_tail = "long";
  say(2, RankExited{exit, ""});
  for (const int rank : {0, 1, 3}) be_killed(rank);
  drain_all();
  const auto cause = ledger_.back().fields.at("cause");
  EXPECT_EQ(cause.at("rank"), 2);
  EXPECT_EQ(cause.at("signal"), 9);
  EXPECT_EQ(cause.at("since"), "1970-01-01T00:00:01.500Z");
  EXPECT_FALSE(cause.contains("stderr_tail")) << "which the end of the run has";
}

TEST_F(Controller, OrdersTheKillOnceAndOnlyOfRanksThatRun) {
  run_ranks();
  die_of(2, SIGKILL);
  say(1, AgentFailed{"gone"});
  for (const int rank : {0, 3}) be_killed(rank);
  drain_all();
  EXPECT_EQ(count_events("kill_ordered"), 1);
  end_.reset();
  ledger_.clear();
  begin();
  expire(RunTimer::gather);
  EXPECT_EQ(count_events("kill_ordered"), 0) << "no rank had started";
}

TEST_F(Controller, OfASuccessThereIsNoCause) {
  run_ranks();
  for (int rank = 0; rank < 4; ++rank) exit_with(rank, 0, Phase::done);
  drain_all();
  EXPECT_TRUE(ledger_.back().fields.at("cause").is_null());
}

TEST_F(Controller, SetupLinesMayTakeTheirTime) {
  plan_.setup = {"make -C kernels"};
  begin();
  EXPECT_FALSE(armed(RunTimer::gather));
}

}  // namespace
}  // namespace ddp::agent
