#include "jobenv/probe/pair_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace ddp {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(PairSchedule, NobodyToMeet) {
  EXPECT_THAT(schedule_pairs(0), IsEmpty());
  EXPECT_THAT(schedule_pairs(1), IsEmpty());
}

/// How often each pair meets. Fails when a node has two partners in a round.
std::map<NodePair, int> count_meetings(const std::vector<std::vector<NodePair>>& rounds, int nodes) {
  std::map<NodePair, int> meetings;
  for (const auto& round : rounds) {
    std::set<int> busy;
    for (const auto& pair : round) {
      EXPECT_LT(pair.low, pair.high);
      EXPECT_GE(pair.low, 0);
      EXPECT_LT(pair.high, nodes);
      EXPECT_TRUE(busy.insert(pair.low).second);
      EXPECT_TRUE(busy.insert(pair.high).second);
      ++meetings[pair];
    }
  }
  return meetings;
}

TEST(PairSchedule, EveryPairMeetsOnce) {
  for (int nodes = 2; nodes <= kMostRounds + 1; ++nodes) {
    const auto meetings = count_meetings(schedule_pairs(nodes), nodes);
    EXPECT_THAT(meetings, SizeIs(static_cast<std::size_t>(nodes * (nodes - 1) / 2)));
    for (const auto& [pair, count] : meetings) EXPECT_EQ(count, 1);
  }
}

TEST(PairSchedule, InALargeJobEachNodeMeetsSoManyOthers) {
  for (const int nodes : {20, 129, 1024}) {
    const auto rounds = schedule_pairs(nodes);
    EXPECT_THAT(rounds, SizeIs(kMostRounds));
    std::map<int, int> partners;
    for (const auto& [pair, count] : count_meetings(rounds, nodes)) {
      EXPECT_EQ(count, 1);
      ++partners[pair.low];
      ++partners[pair.high];
    }
    EXPECT_THAT(partners, SizeIs(static_cast<std::size_t>(nodes)));
    for (const auto& [node, count] : partners) EXPECT_GE(count, kMostRounds - nodes % 2);
  }
}

}  // namespace
}  // namespace ddp
