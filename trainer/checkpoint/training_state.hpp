#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ddp::trainer {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// Everything that a run needs to go on as if it had never stopped.
struct TrainingState {
  std::uint64_t step = 0;      ///< optimizer steps done, over the whole run
  std::uint64_t epoch = 0;     ///< the epoch that `position` is in, counted from 0
  std::uint64_t position = 0;  ///< batches done in that epoch
  std::uint64_t seed = 0;
  int world_size = 1;
  std::string config_hash;
  NamedTensors model;  ///< parameters and buffers under PyTorch's names
  NamedTensors optimizer;
  std::vector<torch::Tensor> rng;  ///< the generator state of each rank, by rank
};

}  // namespace ddp::trainer
