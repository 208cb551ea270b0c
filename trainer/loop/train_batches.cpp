#include "trainer/loop/train_batches.hpp"

#include <stdexcept>
#include <string>

namespace ddp::trainer {
namespace {

Tail tail_of(const TrainConfig& config) {
  return config.data.drop_last ? Tail::drop : Tail::keep;
}

}  // namespace

TrainBatches::TrainBatches(const TrainConfig& config, const Shards& shards, const at::Device& device)
    : config_(config),
      device_(device),
      dataset_(make_dataset(config.data.source, Split::train, config.seed)) {
  for (int i = 0; i < shards.mine; ++i) {
    samplers_.push_back({.dataset_size = dataset_->size(),
                         .num_replicas = shards.count,
                         .rank = shards.first + i,
                         .shuffle = config.data.shuffle,
                         .seed = config.seed,
                         .drop_last = config.data.drop_last});
  }
  per_epoch_ =
      EpochBatches::batch_count(samplers_.front().num_samples(), config.data.batch_size, tail_of(config));
  if (per_epoch_ == 0) {
    throw std::invalid_argument("train.data: " + std::to_string(dataset_->size()) +
                                " samples make no whole batch of " + std::to_string(config.data.batch_size) +
                                " on each rank; choose a smaller batch_size, or drop_last: false");
  }
}

void TrainBatches::start(std::uint64_t epoch, std::int64_t first) {
  epoch_.clear();
  for (const DistributedSampler& sampler : samplers_)
    epoch_.emplace_back(*dataset_, sampler.indices(epoch), config_.data.batch_size, tail_of(config_));
  next_ = first;
}

MicroBatch TrainBatches::next() {
  MicroBatch batches;
  for (const EpochBatches& shard : epoch_) {
    const Batch batch = shard.at(next_);
    batches.push_back({batch.inputs.to(device_), batch.targets.to(device_)});
  }
  ++next_;
  return batches;
}

}  // namespace ddp::trainer
