#include "jobenv/agent/controller/roll_call.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

LaunchPlan plan_of(int nodes, int tasks_per_node) {
  LaunchPlan plan;
  plan.nodes = nodes;
  plan.tasks_per_node = tasks_per_node;
  return plan;
}

AgentJoined agent(AgentId id, const std::string& host, RankPlace place, ConnectionEnds ends = {}) {
  return {id, Hello{host, "", {place}}, std::move(ends)};
}

std::string refusal(const RollCall& roll_call, const AgentJoined& joined) {
  RollCall copy = roll_call;
  const auto added = copy.add(joined);
  return added ? "" : added.error().message;
}

TEST(RollCall, TakesARankOnlyAtItsPlace) {
  const RollCall roll_call(plan_of(2, 2), {});
  EXPECT_EQ(refusal(roll_call, agent(0, "a", {1, 1, 0})), "");
  EXPECT_EQ(refusal(roll_call, agent(0, "a", {1, 0, 0})),
            "agent on a: rank 1 (node 0, local rank 0) is not in the plan, which has 2(x2) ranks per node");
  EXPECT_NE(refusal(roll_call, agent(0, "a", {1, 1, 1})), "");
  EXPECT_NE(refusal(roll_call, agent(0, "a", {4, 0, 2})), "");
  EXPECT_NE(refusal(roll_call, agent(0, "a", {-1, 0, 0})), "");
  EXPECT_NE(refusal(roll_call, {0, Hello{"a", "", {}}, {}}), "");
}

TEST(RollCall, RefusesWhatDoesNotFitTheOthers) {
  RollCall roll_call(plan_of(2, 2), {});
  ASSERT_TRUE(roll_call.add(agent(0, "a", {0, 0, 0})));
  EXPECT_EQ(refusal(roll_call, agent(1, "a", {0, 0, 0})),
            "agent on a: rank 0 (node 0, local rank 0) already has an agent");
  EXPECT_NE(refusal(roll_call, agent(1, "b", {1, 1, 0})), "") << "one node with two hosts";
  EXPECT_NE(refusal(roll_call, agent(1, "a", {2, 0, 1})), "") << "one host with two nodes";
  EXPECT_EQ(refusal(roll_call, agent(1, "b", {2, 0, 1})), "");
}

TEST(RollCall, RefusesHostsThatAreNotTheJobs) {
  const RollCall roll_call(plan_of(1, 2), {"a"});
  EXPECT_EQ(refusal(roll_call, agent(0, "a", {0, 0, 0})), "");
  EXPECT_EQ(refusal(roll_call, agent(0, "b", {0, 0, 0})), "agent on b: this host is not one of the job's");
}

TEST(RollCall, NamesOnlyTheFirstOfManyMissingRanks) {
  RollCall roll_call(plan_of(1, 12), {});
  ASSERT_TRUE(roll_call.add(agent(0, "a", {2, 2, 0})));
  EXPECT_EQ(roll_call.render_missing(), "1 of 12 ranks have connected; missing: 0, 1, 3, 4, 5, 6, 7, 8, …");
}

TEST(RollCall, NamesTheHostsFromWhichNobodyHasCome) {
  RollCall roll_call(plan_of(3, 1), {"n1", "n2", "n3"});
  ASSERT_TRUE(roll_call.add(agent(0, "n1", {0, 0, 0})));
  EXPECT_EQ(roll_call.missing_hosts(), (std::vector<std::string>{"n2", "n3"}));
  EXPECT_EQ(roll_call.render_missing(), "1 of 3 ranks have connected; missing: 1, 2; no agent from n[2-3]");
}

TEST(RollCall, OneNodeUsesTheLoopback) {
  RollCall roll_call(plan_of(1, 1), {});
  ASSERT_TRUE(roll_call.add(agent(0, "a", {0, 0, 0}, {"10.0.0.1", "10.0.0.1"})));
  EXPECT_EQ(roll_call.interface_of(0), "127.0.0.1");
}

TEST(RollCall, HeadsOwnHostUsesTheAddressThatOthersReached) {
  RollCall roll_call(plan_of(2, 1), {});
  ASSERT_TRUE(roll_call.add(agent(0, "a", {0, 0, 0}, {"192.168.0.1", "192.168.0.1"})));
  EXPECT_EQ(roll_call.interface_of(0), "192.168.0.1") << "nobody else is there yet";
  ASSERT_TRUE(roll_call.add(agent(1, "b", {1, 0, 1}, {"10.0.0.1", "10.0.0.2"})));
  EXPECT_EQ(roll_call.interface_of(0), "10.0.0.1");
  EXPECT_EQ(roll_call.interface_of(1), "10.0.0.2");
  EXPECT_EQ(roll_call.hosts(), (std::vector<std::string>{"a", "b"}));
}

TEST(RollCall, TheNamedInterfaceWins) {
  RollCall roll_call(plan_of(2, 1), {});
  ASSERT_TRUE(roll_call.add({0, Hello{"a", "172.16.0.1", {{0, 0, 0}}}, {"10.0.0.1", "10.0.0.1"}}));
  EXPECT_EQ(roll_call.interface_of(0), "172.16.0.1");
}

TEST(RollCall, DoesWithFewerNodesWhoseRanksAreNumberedAnew) {
  RollCall roll_call(plan_of(4, 2), {"a", "b", "c", "d"});
  ASSERT_TRUE(roll_call.add({7, Hello{"d", "", {{6, 0, 3}, {7, 1, 3}}}, {}}));
  ASSERT_TRUE(roll_call.add({8, Hello{"b", "", {{2, 0, 1}, {3, 1, 1}}}, {}}));
  ASSERT_TRUE(roll_call.add(agent(9, "a", {1, 1, 0})));
  EXPECT_EQ(roll_call.present_nodes(), (std::vector<int>{1, 3})) << "a lacks a rank";
  EXPECT_EQ(roll_call.missing_hosts(), (std::vector<std::string>{"c"}));
  roll_call.reduce_to(2);
  EXPECT_TRUE(roll_call.complete());
  EXPECT_EQ(roll_call.planned_nodes(), (std::vector<int>{1, 3}));
  EXPECT_EQ(roll_call.hosts(), (std::vector<std::string>{"b", "d"}));
  EXPECT_EQ(roll_call.agent_of(0), 8);
  EXPECT_EQ(roll_call.agent_of(3), 7);
  EXPECT_EQ(roll_call.agents().at(7).hello.ranks, (std::vector<RankPlace>{{2, 0, 1}, {3, 1, 1}}));
  EXPECT_FALSE(roll_call.agents().contains(9));
}

TEST(RollCall, ForgetsAnAgentWithItsRanks) {
  RollCall roll_call(plan_of(1, 1), {});
  ASSERT_TRUE(roll_call.add(agent(0, "a", {0, 0, 0})));
  EXPECT_TRUE(roll_call.complete());
  roll_call.remove(0);
  EXPECT_FALSE(roll_call.complete());
  EXPECT_FALSE(roll_call.agent_of(0));
  EXPECT_TRUE(roll_call.add(agent(1, "a", {0, 0, 0})));
}

TEST(RollCall, AHostIsItsNodeAsLongAsOneOfItsAgentsIsThere) {
  RollCall roll_call(plan_of(2, 2), {"a", "b"});
  ASSERT_TRUE(roll_call.add(agent(0, "a", {0, 0, 0})));
  ASSERT_TRUE(roll_call.add(agent(1, "a", {1, 1, 0})));
  roll_call.remove(0);
  roll_call.remove(0);
  EXPECT_EQ(roll_call.missing_hosts(), (std::vector<std::string>{"b"}));
  EXPECT_EQ(refusal(roll_call, agent(2, "b", {0, 0, 0})),
            "agent on b: this host cannot be node 0: a is node 0");
  EXPECT_EQ(refusal(roll_call, agent(2, "a", {2, 0, 1})),
            "agent on a: this host cannot be node 1: a is node 0");
  roll_call.remove(1);
  EXPECT_EQ(roll_call.missing_hosts(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(refusal(roll_call, agent(2, "b", {0, 0, 0})), "");
}

}  // namespace
}  // namespace ddp::agent
