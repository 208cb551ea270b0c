#include "tests/support/use_launcher.hpp"
#include "tests/unit/jobenv/agent/controller/controller_fixture.hpp"

namespace ddp::agent {
namespace {

/// Two ssh hosts with a rank each, and set-up lines. Agent n is on node n + 1.
class SetupController : public Controller {
 protected:
  void SetUp() override {
    use_launcher(plan_, "ssh");
    plan_.hosts = {"node1", "node2"};
    plan_.nodes = 2;
    plan_.tasks_per_node = 1;
    plan_.max_restarts = 3;
    plan_.setup = {"module load cuda"};
    start();
  }
  void come(AgentId id, int node) {
    const std::string number = std::to_string(node + 1);
    post(AgentJoined{id, Hello{"node" + number, "", {{node, 0, node}}}, {"10.0.0.1", "10.0.0." + number}});
  }
  void come_all() {
    come(0, 0);
    come(1, 1);
  }
};

TEST_F(SetupController, TheRanksStartWhenTheLinesAreDoneOnAllHosts) {
  come_all();
  EXPECT_EQ(receivers<SetUpNode>(), (Everyone{0, 1}));
  say(1, NodeSetUp{});
  EXPECT_TRUE(receivers<BindStore>().empty());
  say(0, NodeSetUp{});
  EXPECT_EQ(receivers<BindStore>(), (Everyone{0}));
}

TEST_F(SetupController, AgentsComeInTimeTheLinesTakeAsLongAsTheyNeed) {
  EXPECT_TRUE(armed(RunTimer::gather));
  come_all();
  expire(RunTimer::gather);
  EXPECT_TRUE(receivers<KillRanks>().empty());
  say(0, NodeSetUp{});
  say(1, NodeSetUp{});
  EXPECT_EQ(receivers<BindStore>(), (Everyone{0}));
}

TEST_F(SetupController, LinesThatFailEndTheRun) {
  come_all();
  say(1, AgentFailed{"environment.setup ended with exit code 1", "module: not found", Recurrence::certain});
  post(CheckpointFound{std::nullopt});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::failed);
  EXPECT_NE(end_->message.find("environment.setup ended with exit code 1"), std::string::npos)
      << end_->message;
}

TEST_F(SetupController, AStopEndsTheRunWithoutWaitingForThem) {
  come_all();
  post(StopWanted{StopReason::cancel, SIGTERM});
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->state, RunState::cancelled);
}

TEST_F(SetupController, AnAgentThatIsLostMeanwhileStartsTheRunAgain) {
  come_all();
  say(0, NodeSetUp{});
  post(AgentLost{1, "the other side closed the connection"});
  EXPECT_FALSE(end_);
  post(CheckpointFound{std::nullopt});
  post(AttemptClaimed{4, "next"});
  post(LauncherStarted{});
  sent_.clear();
  come(10, 0);
  come(11, 1);
  EXPECT_EQ(receivers<SetUpNode>(), (Everyone{10, 11}));
  say(10, NodeSetUp{});
  say(11, NodeSetUp{});
  EXPECT_EQ(receivers<BindStore>(), (Everyone{10}));
}

TEST_F(SetupController, OfOneMachineTheAgentComesWhenTheyAreDone) {
  use_launcher(plan_, "local");
  plan_.nodes = 1;
  plan_.hosts = {"node1"};
  timers_.clear();
  start();
  EXPECT_FALSE(armed(RunTimer::gather));
  come(0, 0);
  EXPECT_TRUE(receivers<SetUpNode>().empty());
  EXPECT_EQ(receivers<BindStore>(), (Everyone{0}));
}

}  // namespace
}  // namespace ddp::agent
