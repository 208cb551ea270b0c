#include "jobenv/agent/controller/agent_states.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ddp::agent {
namespace {

constexpr int kAgents = 5;
constexpr int kRanksOfEach = 3;

ExitRecord end_of(int rank) {
  ExitRecord record;
  record.rank = rank;
  return record;
}

/// What AgentStates counts, seen agent by agent.
class AgentStatesTest : public testing::Test {
 protected:
  void SetUp() override { begin(); }
  void begin() {
    states_.clear();
    std::map<AgentId, AgentJoined> joined;
    for (AgentId id = 0; id < kAgents; ++id) {
      Hello hello{"n" + std::to_string(id), "", {}};
      for (int local = 0; local < kRanksOfEach; ++local)
        hello.ranks.push_back({id * kRanksOfEach + local, local, id});
      joined[id] = {id, hello, {}};
    }
    states_.take(joined);
  }

  template <class Predicate>
  [[nodiscard]] bool all(Predicate holds) const {
    return std::ranges::all_of(states_.ids(), [&](AgentId id) { return holds(states_.at(id)); });
  }
  [[nodiscard]] bool has_ended(const AgentStates::Agent& agent) const {
    return std::ranges::all_of(agent.ranks, [this](int rank) { return states_.records().contains(rank); });
  }
  void expect_counts() const {
    EXPECT_EQ(states_.any_lost(), !all([](const auto& agent) { return !agent.lost; }));
    EXPECT_EQ(states_.any_holds_ranks(), !all([](const auto& agent) { return agent.lost || agent.drained; }));
    EXPECT_EQ(states_.all_ranks_accounted(),
              all([this](const auto& agent) { return agent.lost || has_ended(agent); }));
  }

  AgentStates states_;
};

TEST_F(AgentStatesTest, CountsTheSameInWhateverOrderThingsHappen) {
  std::mt19937 random(1);
  const auto below = [&random](int end) { return std::uniform_int_distribution(0, end - 1)(random); };
  for (int attempt = 0; attempt < 200; ++attempt) {
    for (int event = 0; event < 40; ++event) {
      const int kind = below(20);
      if (kind == 0) states_.mark_lost(below(kAgents));
      if (kind == 1) states_.write_off();
      if (kind > 1 && kind < 6) states_.mark_drained(below(kAgents));
      if (kind >= 6) (void)states_.add(end_of(below(kAgents * kRanksOfEach)));
      expect_counts();
    }
    states_.begin_attempt();
    expect_counts();
    if (!states_.any_lost()) continue;
    begin();
    expect_counts();
  }
}

TEST_F(AgentStatesTest, AnEndThatIsKnownCountsOnce) {
  for (int rank = 0; rank < kRanksOfEach; ++rank) {
    EXPECT_TRUE(states_.add(end_of(rank)));
    EXPECT_FALSE(states_.add(end_of(rank)));
  }
  EXPECT_FALSE(states_.all_ranks_accounted());
  EXPECT_TRUE(AgentStates::reported_all(states_.at(0)));
  EXPECT_FALSE(AgentStates::reported_all(states_.at(1)));
}

}  // namespace
}  // namespace ddp::agent
