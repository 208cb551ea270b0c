#include "trainer/loop/step/epoch_position.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ddp/trainer/distributed_sampler.hpp"

namespace ddp::trainer {
namespace {

/// The samples of the first `position` batches of an epoch, of all shards.
std::set<std::int64_t> seen(const EpochShape& shape, std::int64_t position) {
  std::set<std::int64_t> samples;
  for (int shard = 0; shard < shape.shards; ++shard) {
    const auto indices = DistributedSampler{.dataset_size = shape.dataset_size,
                                            .num_replicas = shape.shards,
                                            .rank = shard,
                                            .seed = 7,
                                            .drop_last = shape.drop_last}
                             .indices(3);
    const auto count = std::min<std::int64_t>(position * shape.batch_size, std::ssize(indices));
    samples.insert(indices.begin(), indices.begin() + count);
  }
  return samples;
}

TEST(EpochPosition, StaysWithTheSameShape) {
  const EpochShape shape{.dataset_size = 103, .shards = 4, .batch_size = 5};
  for (std::int64_t position = 0; position <= shape.batches(); ++position)
    EXPECT_EQ(convert_position(position, shape, shape), position);
}

TEST(EpochPosition, NoSampleIsLeftOutAndLessThanABatchSeenAgain) {
  for (const bool drop_last : {false, true}) {
    for (const int shards : {1, 2, 3, 4}) {
      for (const std::int64_t batch_size : {1, 4, 10}) {
        const EpochShape before{.dataset_size = 103, .shards = 2, .batch_size = 4, .drop_last = drop_last};
        const EpochShape now{
            .dataset_size = 103, .shards = shards, .batch_size = batch_size, .drop_last = drop_last};
        for (std::int64_t position = 0; position < before.batches(); ++position) {
          const std::int64_t converted = convert_position(position, before, now);
          const auto then = seen(before, position);
          const auto rest = seen(now, converted);
          EXPECT_TRUE(std::includes(then.begin(), then.end(), rest.begin(), rest.end()));
          EXPECT_LT(then.size() - rest.size(), static_cast<std::size_t>(shards * batch_size));
        }
        EXPECT_EQ(convert_position(before.batches(), before, now), now.batches());
      }
    }
  }
}

}  // namespace
}  // namespace ddp::trainer
