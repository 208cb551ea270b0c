#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "ddp/trainer/dataset.hpp"
#include "ddp/trainer/distributed_sampler.hpp"
#include "trainer/config/train_config.hpp"
#include "trainer/data/loading/loader.hpp"
#include "trainer/loop/step/epoch_position.hpp"
#include "trainer/loop/step/train_step.hpp"

namespace ddp::trainer {

/// How `config` loads data, the tail of an epoch as a training does it.
[[nodiscard]] LoaderOptions loader_options(const TrainConfig& config, const at::Device& device);

/// The training data as it is shared out: the batches of this rank's shards, epoch by epoch.
class TrainBatches {
 public:
  /// Throws InvalidConfiguration when there are too few samples for a batch on each rank.
  TrainBatches(std::unique_ptr<Dataset> dataset, const TrainConfig& config, const Shards& shards,
               const at::Device& device);

  /// Batches of an epoch, the same on all ranks.
  [[nodiscard]] std::int64_t per_epoch() const { return per_epoch_; }

  /// How an epoch is shared out among all ranks.
  [[nodiscard]] EpochShape shape() const;

  /// Makes `first`, 0 <= first < per_epoch(), of `epoch` the next batch.
  void start(std::uint64_t epoch, std::int64_t first);

  /// The next batch of each shard, on the device; only as many times as the epoch has batches.
  [[nodiscard]] MicroBatch next();

 private:
  std::unique_ptr<Dataset> dataset_;
  std::int64_t batch_size_;                   // of a shard
  std::vector<DistributedSampler> samplers_;  // one for each of this rank's shards
  std::int64_t per_epoch_ = 0;
  std::deque<Loader> loaders_;  // likewise
};

}  // namespace ddp::trainer
