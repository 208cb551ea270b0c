#include "tests/support/use_launcher.hpp"
#include "tests/unit/jobenv/agent/controller/controller_fixture.hpp"

namespace ddp::agent {
namespace {

/// A training on four ssh hosts with a rank each, which may do with two or three. Agent n is on node n + 1.
class ElasticController : public Controller {
 protected:
  void SetUp() override {
    use_launcher(plan_, "ssh");
    plan_.hosts = {"node1", "node2", "node3", "node4"};
    plan_.nodes = 4;
    plan_.tasks_per_node = 1;
    plan_.max_restarts = 3;
    plan_.fewer_nodes = {2, 3};
    start();
  }
  void come(AgentId id, int node) {
    const std::string host = plan_.hosts.at(static_cast<std::size_t>(node));
    post(AgentJoined{
        id, Hello{host, "", {{node, 0, node}}}, {"10.0.0.1", "10.0.0." + std::to_string(node + 1)}});
  }
  void run_all() {
    for (int node = 0; node < 4; ++node) come(node, node);
    say(0, StoreBound{4000});
  }
  /// From the first attempt, on all nodes, to the gathering of the next one.
  void lose(AgentId lost, const Everyone& left) {
    post(AgentLost{lost, "nothing heard for 30 s"});
    for (const int agent : left) end_rank(agent, agent, SIGKILL);
    begin_gathering();
  }
  void end_rank(AgentId agent, int rank, int signal) {
    ExitRecord exit = record(rank);
    exit.signal = signal;
    exit.ended_by = EndedBy::agent;
    say(agent, RankExited{exit, ""});
    say(agent, Drained{});
  }
  void begin_gathering(std::uint64_t checkpoint = 100) {
    post(CheckpointFound{checkpoint});
    post(AttemptClaimed{4, "next"});
    post(LauncherStarted{});
    sent_.clear();
  }
  [[nodiscard]] const StartAttempt& start_of(AgentId agent) const {
    const auto found = std::ranges::find_if(sent_, [agent](const auto& sent) {
      return sent.first == agent && std::holds_alternative<StartAttempt>(sent.second);
    });
    return std::get<StartAttempt>(found->second);
  }
};

TEST_F(ElasticController, DoesWithoutAHostWhoseAgentCannotWork) {
  for (const int node : {0, 1, 2}) come(node, node);
  post(AgentJoined{3, Hello{"node4", "", {{3, 0, 3}}, "this host has no interface 'ib0'"}, {}});
  EXPECT_FALSE(end_);
  EXPECT_TRUE(armed(RunTimer::absence));
}

TEST_F(ElasticController, WaitsForAllBeforeItGoesOnWithTheRest) {
  run_all();
  lose(1, {0, 2, 3});
  EXPECT_TRUE(armed(RunTimer::absence));
  for (const int node : {0, 2, 3}) come(10 + node, node);
  EXPECT_TRUE(receivers<BindStore>().empty());
  expire(RunTimer::absence);
  EXPECT_EQ(receivers<BindStore>(), Everyone{10});
  say(10, StoreBound{4001});
  EXPECT_EQ(receivers<StartAttempt>(), (Everyone{10, 12, 13}));
  EXPECT_EQ(start_of(13).hosts, (std::vector<std::string>{"node1", "node3", "node4"}));
  EXPECT_EQ(start_of(13).planned_nodes, (std::vector<int>{0, 2, 3}));
  ASSERT_EQ(count_events("nodes_missing"), 1);
  const auto line = *std::ranges::find(ledger_, "nodes_missing", &WriteLedger::event);
  EXPECT_EQ(line.fields.at("message"),
            "node2 unreachable; continuing on 3 of 4 hosts with the same global batch size");
}

TEST_F(ElasticController, WhenTheTimeForAllIsUpItGoesOnWithThoseThatAreThere) {
  for (const int node : {0, 1, 3}) come(node, node);
  timers_.clear();
  expire(RunTimer::gather);
  EXPECT_EQ(receivers<BindStore>(), Everyone{0});
  EXPECT_TRUE(receivers<KillRanks>().empty());
  EXPECT_TRUE(armed(RunTimer::gather)) << "the store has the same time";
  say(0, StoreBound{4000});
  EXPECT_EQ(receivers<StartAttempt>(), (Everyone{0, 1, 3}));
}

TEST_F(ElasticController, AnAgentThatCannotDoWhatItIsAskedForIsAskedAgain) {
  run_all();
  say(1, AgentFailed{"cannot create the folder 'logs': No space left on device"});
  for (const int agent : {0, 2, 3}) end_rank(agent, agent, SIGKILL);
  begin_gathering();
  EXPECT_FALSE(end_);
  for (int node = 0; node < 4; ++node) come(10 + node, node);
  EXPECT_EQ(receivers<BindStore>(), Everyone{10});
}

TEST_F(ElasticController, SucceedsWithTheRanksThatItHas) {
  run_all();
  lose(1, {0, 2, 3});
  for (const int node : {0, 2, 3}) come(10 + node, node);
  expire(RunTimer::absence);
  say(10, StoreBound{4001});
  for (int rank = 0; const AgentId agent : {10, 12, 13}) {
    ExitRecord exit = record(rank++);
    exit.code = 0;
    exit.phase = Phase::done;
    say(agent, RankExited{exit, ""});
    say(agent, Drained{});
  }
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::succeeded);
  EXPECT_EQ(end_->message, "3 ranks finished at step 120, 1 restart");
}

TEST_F(ElasticController, TakesTheHostBackAtTheNextRestart) {
  run_all();
  lose(1, {0, 2, 3});
  for (const int node : {0, 2, 3}) come(10 + node, node);
  expire(RunTimer::absence);
  say(10, StoreBound{4001});
  come(20, 1);
  EXPECT_EQ(receivers<BindStore>(), Everyone{10}) << "not before";
  ExitRecord failed = record(0);
  failed.signal = SIGSEGV;
  say(10, RankExited{failed, ""});
  say(10, Drained{});
  end_rank(12, 1, SIGKILL);
  end_rank(13, 2, SIGKILL);
  begin_gathering(110);
  for (int node = 0; node < 4; ++node) come(30 + node, node);
  EXPECT_EQ(receivers<BindStore>(), Everyone{30});
  say(30, StoreBound{4002});
  EXPECT_EQ(receivers<StartAttempt>(), (Everyone{30, 31, 32, 33}));
}

TEST_F(ElasticController, WaitsOnWhenTooFewAreThere) {
  run_all();
  lose(1, {0, 2, 3});
  come(10, 0);
  expire(RunTimer::absence);
  EXPECT_TRUE(receivers<BindStore>().empty());
  come(12, 2);
  EXPECT_TRUE(receivers<BindStore>().empty()) << "two will do, but others may come with them";
  come(13, 3);
  expire(RunTimer::absence);
  EXPECT_EQ(receivers<BindStore>(), Everyone{10});
  say(10, StoreBound{4001});
  EXPECT_EQ(receivers<StartAttempt>(), (Everyone{10, 12, 13}));
}

TEST_F(ElasticController, TheTimeForOthersBeginsWithEachThatComes) {
  timers_.clear();
  come(0, 0);
  EXPECT_TRUE(armed(RunTimer::absence));
}

TEST_F(ElasticController, TakesAsManyAsFit) {
  plan_.fewer_nodes = {2};
  start();
  run_all();
  lose(0, {1, 2, 3});
  for (const int node : {1, 2, 3}) come(10 + node, node);
  expire(RunTimer::absence);
  EXPECT_EQ(receivers<BindStore>(), Everyone{11});
  say(11, StoreBound{4001});
  EXPECT_EQ(receivers<StartAttempt>(), (Everyone{11, 12}));
}

TEST_F(ElasticController, TheFirstAttemptMayDoWithFewerToo) {
  for (const int node : {1, 2}) come(node, node);
  expire(RunTimer::absence);
  EXPECT_EQ(receivers<BindStore>(), Everyone{1});
}

}  // namespace
}  // namespace ddp::agent
