#include "ddp/trainer/distributed_sampler.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ddp::trainer {
namespace {

using Indices = std::vector<std::int64_t>;

// list(DistributedSampler(range(10), 2, 0, seed=0)) in Python is [4, 7, 3, 0, 6]; the permutation comes from
// a Mersenne twister and is the same on every machine.
TEST(DistributedSampler, HasTheOrderOfPython) {
  DistributedSampler sampler{.dataset_size = 10, .num_replicas = 2, .rank = 0, .seed = 0};
  EXPECT_EQ(sampler.indices(0), (Indices{4, 7, 3, 0, 6}));
  sampler.rank = 1;
  EXPECT_EQ(sampler.indices(0), (Indices{1, 5, 9, 8, 2}));
}

TEST(DistributedSampler, AnEpochIsASeedFurther) {
  const DistributedSampler first{.dataset_size = 100, .num_replicas = 2, .rank = 1, .seed = 7};
  const DistributedSampler second{.dataset_size = 100, .num_replicas = 2, .rank = 1, .seed = 4};
  EXPECT_EQ(first.indices(2), second.indices(5));
  EXPECT_NE(first.indices(2), first.indices(3));
}

TEST(DistributedSampler, RanksShareTheSamplesAndRepeatTheFirstOnes) {
  std::multiset<std::int64_t> seen;
  for (int rank = 0; rank < 4; ++rank) {
    const auto mine = DistributedSampler{.dataset_size = 10, .num_replicas = 4, .rank = rank}.indices(0);
    EXPECT_EQ(mine.size(), 3u);
    seen.insert(mine.begin(), mine.end());
  }
  const auto order = DistributedSampler{.dataset_size = 10}.indices(0);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(seen.count(order[i]), i < 2 ? 2u : 1u) << i;
}

TEST(DistributedSampler, DropLastLeavesTheTailOut) {
  const DistributedSampler sampler{
      .dataset_size = 10, .num_replicas = 4, .rank = 3, .shuffle = false, .drop_last = true};
  EXPECT_EQ(sampler.num_samples(), 2);
  EXPECT_EQ(sampler.indices(0), (Indices{3, 7}));
}

TEST(DistributedSampler, FewerSamplesThanRanksGoRound) {
  const DistributedSampler sampler{.dataset_size = 3, .num_replicas = 8, .rank = 7, .shuffle = false};
  EXPECT_EQ(sampler.indices(0), (Indices{1}));
}

}  // namespace
}  // namespace ddp::trainer
