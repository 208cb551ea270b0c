#include "trainer/loop/step/epoch_position.hpp"

#include <algorithm>

#include "ddp/trainer/distributed_sampler.hpp"
#include "trainer/data/batch_indices.hpp"

namespace ddp::trainer {

std::int64_t EpochShape::batches() const {
  const DistributedSampler sampler{
      .dataset_size = dataset_size, .num_replicas = shards, .drop_last = drop_last};
  return count_batches(sampler.num_samples(), batch_size, drop_last ? Tail::drop : Tail::keep);
}

std::int64_t convert_position(std::int64_t position, const EpochShape& before, const EpochShape& now) {
  if (position >= before.batches()) return now.batches();
  const std::int64_t samples = position * before.shards * before.batch_size;
  return std::min(samples / (now.shards * now.batch_size), now.batches());
}

}  // namespace ddp::trainer
