#include "trainer/loop/step/train_batches.hpp"

#include <string>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/distributed/group/cuda_plugin.hpp"

namespace ddp::trainer {
LoaderOptions loader_options(const TrainConfig& config, const at::Device& device) {
  return {.batch_size = config.data.batch_size,
          .tail = config.data.drop_last ? Tail::drop : Tail::keep,
          .workers = config.data.workers,
          .device = device,
          .transform_images = device.is_cuda() ? cuda_plugin().transform_images : nullptr,
          .images = config.memory_format == MemoryFormat::channels_last ? at::MemoryFormat::ChannelsLast
                                                                        : at::MemoryFormat::Contiguous};
}

TrainBatches::TrainBatches(std::unique_ptr<Dataset> dataset, const TrainConfig& config, const Shards& shards,
                           const at::Device& device)
    : dataset_(std::move(dataset)), batch_size_(config.data.batch_size) {
  const LoaderOptions options = loader_options(config, device);
  for (int i = 0; i < shards.mine; ++i) {
    samplers_.push_back({.dataset_size = dataset_->size(),
                         .num_replicas = shards.count,
                         .rank = shards.first + i,
                         .shuffle = config.data.shuffle,
                         .seed = config.seed,
                         .drop_last = config.data.drop_last});
    loaders_.emplace_back(*dataset_, options);
  }
  per_epoch_ = count_batches(samplers_.front().num_samples(), options.batch_size, options.tail);
  if (per_epoch_ == 0) {
    throw InvalidConfiguration("train.data: " + std::to_string(dataset_->size()) +
                               " samples are too few for one full batch of " +
                               std::to_string(config.data.batch_size) +
                               " on each rank; set a smaller batch_size, or drop_last: false");
  }
}

EpochShape TrainBatches::shape() const {
  return {.dataset_size = dataset_->size(),
          .shards = samplers_.front().num_replicas,
          .batch_size = batch_size_,
          .drop_last = samplers_.front().drop_last};
}

void TrainBatches::start(std::uint64_t epoch, std::int64_t first) {
  for (std::size_t i = 0; i < loaders_.size(); ++i)
    loaders_[i].start(samplers_[i].indices(epoch), epoch, first);
}

MicroBatch TrainBatches::next() {
  MicroBatch batches;
  for (Loader& shard : loaders_) batches.push_back(shard.next());
  return batches;
}

}  // namespace ddp::trainer
