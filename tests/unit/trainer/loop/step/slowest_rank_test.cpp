#include "trainer/loop/step/slowest_rank.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ddp::trainer {
namespace {

using namespace std::chrono_literals;

std::vector<RankTime> times(const std::vector<double>& totals) {
  std::vector<RankTime> by_rank;
  for (const double total : totals) by_rank.push_back({total, total / 10});
  return by_rank;
}

TEST(SlowestRank, IsComparedWithTheMedian) {
  const auto slowest = find_slowest_rank(times({0.2, 0.1, 0.5, 0.3, 0.4}));
  ASSERT_TRUE(slowest);
  EXPECT_EQ(slowest->rank, 2);
  EXPECT_EQ(slowest->time.total, 0.5);
  EXPECT_EQ(slowest->time.data_wait, 0.05);
  EXPECT_EQ(slowest->median, 0.3);
}

TEST(SlowestRank, OfTwoIsComparedWithTheOther) {
  EXPECT_EQ(find_slowest_rank(times({0.1, 0.4}))->median, 0.1);
  EXPECT_EQ(find_slowest_rank(times({0.1, 0.4}))->rank, 1);
  EXPECT_EQ(find_slowest_rank(times({0.4, 0.2, 0.3, 0.1}))->median, 0.2);
}

TEST(SlowestRank, IsNoneAmongFewerThanTwo) {
  EXPECT_FALSE(find_slowest_rank(times({0.1})));
  EXPECT_FALSE(find_slowest_rank({}));
}

TEST(RanksToRecord, AreAllOfFewAndTheSlowestOfMany) {
  EXPECT_TRUE(ranks_to_record(times({0.1})).empty());
  const auto few = ranks_to_record(times({0.3, 0.1}));
  ASSERT_EQ(few.size(), 2u);
  EXPECT_EQ(few[1].rank, 1);
  EXPECT_EQ(few[1].seconds, 0.1);
  std::vector<double> totals;
  for (int rank = 0; rank < 65; ++rank) totals.push_back(rank);
  const auto many = ranks_to_record(times(totals));
  ASSERT_EQ(many.size(), 8u);
  EXPECT_EQ(many.front().rank, 64);
  EXPECT_EQ(many.back().rank, 57);
}

SlowestRank of(int rank, double factor) {
  return {rank, {0.1 * factor, 0.0}, 0.1};
}

TEST(StragglerWatch, TellsOfARankThatIsSlowInThreeWindowsOnce) {
  StragglerWatch watch;
  EXPECT_FALSE(watch.finds(of(3, 2.0), 5s));
  EXPECT_FALSE(watch.finds(of(3, 1.6), 5s));
  EXPECT_TRUE(watch.finds(of(3, 1.6), 5s));
  for (int window = 0; window < 5; ++window) EXPECT_FALSE(watch.finds(of(3, 9.0), 5s));
}

TEST(StragglerWatch, WantsThemInARowAndOfOneRank) {
  StragglerWatch watch;
  for (const auto& slowest : {of(3, 2.0), of(3, 2.0), of(3, 1.4), of(3, 2.0), of(3, 2.0), of(1, 2.0),
                              of(1, 2.0), of(3, 2.0), of(3, 2.0)})
    EXPECT_FALSE(watch.finds(slowest, 5s));
  EXPECT_TRUE(watch.finds(of(3, 2.0), 5s));
}

TEST(StragglerWatch, WaitsUntilShortWindowsLastTenSeconds) {
  StragglerWatch watch;
  for (int window = 0; window < 9; ++window) EXPECT_FALSE(watch.finds(of(3, 2.0), 1s));
  EXPECT_FALSE(watch.finds(of(3, 1.0), 1s));
  for (int window = 0; window < 9; ++window) EXPECT_FALSE(watch.finds(of(3, 2.0), 1s));
  EXPECT_TRUE(watch.finds(of(3, 2.0), 1s));
}

TEST(StragglerWatch, TellsOfAnotherRankToo) {
  StragglerWatch watch;
  for (int window = 0; window < 3; ++window) (void)watch.finds(of(3, 2.0), 5s);
  EXPECT_FALSE(watch.finds(of(1, 2.0), 5s));
  EXPECT_FALSE(watch.finds(of(1, 2.0), 5s));
  EXPECT_TRUE(watch.finds(of(1, 2.0), 5s));
}

TEST(DescribeStraggler, NamesRankHostAndTimes) {
  EXPECT_EQ(describe_straggler({3, {0.0412, 0.0004}, 0.0201}, "node7"),
            "rank 3 on node7 is a straggler: it takes 41.2 ms per step, including 0.4 ms waiting for data; "
            "the median of all ranks is 20.1 ms per step");
}

}  // namespace
}  // namespace ddp::trainer
