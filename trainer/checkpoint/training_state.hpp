#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ddp::trainer {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// What an evaluation gave, by the metric that decides which checkpoint is the best one.
struct BestScore {
  std::string metric;
  double value = 0;
  bool operator==(const BestScore&) const = default;
};

/// The rows [first, first + n) of a tensor of shape `shape` that another tensor, of n rows, holds.
struct RowPlace {
  std::int64_t first = 0;
  std::vector<std::int64_t> shape;
};

/// Of each tensor in the lists `model` and `optimizer` of a TrainingState.
struct RowPlaces {
  std::vector<RowPlace> model;
  std::vector<RowPlace> optimizer;
};

/// Everything that a run needs to go on as if it had never stopped.
struct TrainingState {
  std::uint64_t step = 0;      ///< optimizer steps done, over the whole run
  std::uint64_t epoch = 0;     ///< the epoch that `position` is in, counted from 0
  std::uint64_t position = 0;  ///< batches done in that epoch
  int world_size = 1;
  int shards = 0;  ///< that a batch of all ranks falls into; 0: the checkpoint is too old to tell
  std::int64_t batch_size = 0;  ///< samples of a shard in a batch; 0: likewise
  /// Of the configuration, as list_settings(); empty: likewise.
  std::vector<std::string> settings = {};
  std::int64_t total_steps = 0;  ///< of the run, when it was written; 0: likewise
  std::string libtorch = {};     ///< the version that it was written with; empty: likewise
  NamedTensors model;            ///< parameters, then buffers, under PyTorch's names
  NamedTensors optimizer;
  std::vector<torch::Tensor> rng;  ///< the generator state of each rank, by rank
  NamedTensors extra = {};         ///< what else the next step depends on, as a gradient scaler
  /// Of the run so far. It is kept beside the checkpoints (CheckpointStore::pin_best), not in them.
  std::optional<BestScore> best = {};
  /// Where `model` and `optimizer` are the rows that one rank writes; nullopt: they are whole. Not saved.
  std::optional<RowPlaces> rows = {};
  std::size_t parameters = 0;   ///< how many of `model` are, which only updates change; not saved
  bool of_another_run = false;  ///< where it was read; not saved
};

/// The bytes of all its tensors.
[[nodiscard]] inline std::uint64_t size_of(const TrainingState& state) {
  std::uint64_t size = 0;
  for (const auto* tensors : {&state.model, &state.optimizer, &state.extra})
    for (const auto& [name, tensor] : *tensors) size += tensor.nbytes();
  for (const auto& tensor : state.rng) size += tensor.nbytes();
  return size;
}

}  // namespace ddp::trainer
