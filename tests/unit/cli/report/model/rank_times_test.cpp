#include "cli/report/model/rank_times.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

MetricsRecord record_of_ranks(std::int64_t step, std::vector<RankStepTime> times) {
  return {.kind = "train", .step = step, .rank_ms = std::move(times)};
}

TEST(RankTimes, AreMeansOfEachRankAndColumn) {
  const std::vector<MetricsRecord> records{record_of_ranks(10, {{0, 1}, {1, 5}}),
                                           record_of_ranks(20, {{0, 3}, {1, 7}}), record_of_ranks(25, {}),
                                           record_of_ranks(30, {{0, 9}})};
  const auto times = reduce_rank_times(records, 2);
  EXPECT_EQ(times.ranks, (std::vector<int>{0, 1}));
  ASSERT_EQ(times.buckets.size(), 2u);
  EXPECT_EQ(times.buckets[1].step, 20);
  EXPECT_EQ(times.ms[0][0], 1);
  EXPECT_EQ(times.ms[0][1], 6);
  EXPECT_EQ(times.ms[1][1], 7);
  EXPECT_FALSE(times.slowest_only);
}

TEST(RankTimes, OfManyRanksAreThoseThatWereSlowMostOften) {
  std::vector<MetricsRecord> records;
  for (int step = 1; step <= 200; ++step) records.push_back(record_of_ranks(step, {{900, 9}, {step, 8}}));
  const auto times = reduce_rank_times(records);
  EXPECT_TRUE(times.slowest_only);
  ASSERT_EQ(times.ranks.size(), kMostRankRows);
  EXPECT_EQ(times.ranks.back(), 900);
  EXPECT_EQ(times.buckets.size(), kMostRankColumns);
}

TEST(RankTimes, AreNoneWithoutRecordsOfThem) {
  EXPECT_TRUE(reduce_rank_times(std::vector{record_of_ranks(1, {})}).ranks.empty());
}

}  // namespace
}  // namespace ddp::cli
