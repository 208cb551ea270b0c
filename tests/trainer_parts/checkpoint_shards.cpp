// Writes and reads checkpoints that every rank writes, for sharded_checkpoint_test.py, which does the same
// with PyTorch's distributed checkpoints.
//
//   checkpoint_shards save FOLDER RANKS    a checkpoint of the state below, as RANKS ranks write it
//   checkpoint_shards state FOLDER FILE    its state in one file: the model, then the optimizer
//   checkpoint_shards weights PLACE FILE   the weights at PLACE in one file
#include <ATen/ATen.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

#include "tests/trainer_parts/parts.hpp"
#include "trainer/checkpoint/checkpoint_files.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/checkpoint/weights.hpp"

namespace ddp::trainer::checkpoint_shards {
namespace {

/// 0, 1, 2, … and `first` more each.
torch::Tensor counted(at::IntArrayRef shape, double first, at::ScalarType type = at::kFloat) {
  return (at::arange(c10::multiply_integers(shape), at::kFloat) + first).view(shape).to(type);
}

/// With sizes that few numbers of ranks divide, and one tensor with less rows than ranks.
const NamedTensors& parameters() {
  static const NamedTensors parameters{{"embed.weight", counted({7, 5}, 1)},
                                       {"conv.weight", counted({6, 2, 3}, 100)},
                                       {"norm.weight", counted({3}, 200)},
                                       {"half.weight", counted({5, 2}, 0, at::kBFloat16)},
                                       {"head.bias", counted({1}, 300)}};
  return parameters;
}

/// As fully_shard does it.
TensorRows rows_of(const std::string& name, const torch::Tensor& whole, int rank, int ranks) {
  const std::int64_t all = whole.size(0), chunk = (all + ranks - 1) / ranks;
  const std::int64_t begin = std::min(all, rank * chunk), end = std::min(all, (rank + 1) * chunk);
  return {.name = name,
          .rows = whole.narrow(0, begin, end - begin),
          .first = begin,
          .shape = whole.sizes().vec()};
}

StateRows rows_of_rank(int rank, int ranks) {
  StateRows held;
  for (const auto& [name, tensor] : parameters()) {
    held.model.push_back(rows_of(name, tensor, rank, ranks));
    if (rank == 0) held.optimizer.push_back(whole_tensor(name + ".step", at::full({}, 9.0F)));
    held.optimizer.push_back(rows_of(name + ".exp_avg", tensor.to(at::kFloat) + 0.5, rank, ranks));
  }
  if (rank == 0) {
    held.model.push_back(whole_tensor("norm.running_mean", counted({3}, 400)));
    held.model.push_back(whole_tensor("norm.num_batches_tracked", at::full({}, 12, at::kLong)));
  }
  return held;
}

void save(const std::filesystem::path& folder, int ranks) {
  std::filesystem::create_directory(folder);
  FileSums sums;
  TrainingState shared;
  shared.world_size = ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    sums.merge(save_shard_files(folder, rank, rows_of_rank(rank, ranks)));
    shared.rng.push_back(at::full({16}, rank, at::kByte));
  }
  shared.extra = {{"scaler.scale", at::full({}, 1024.0F)}};
  save_shared_files(folder, shared, sums);
}

}  // namespace

int run(const Words& words) {
  if (words.size() != 3) throw std::invalid_argument("checkpoint_shards save|state|weights PLACE RANKS|FILE");
  const std::filesystem::path place = words[1];
  if (words[0] == "save") {
    save(place, std::stoi(words[2]));
  } else if (words[0] == "weights") {
    save_safetensors(words[2], load_weights(place));
  } else {
    TrainingState state = load_checkpoint_files(place);
    state.model.insert(state.model.end(), state.optimizer.begin(), state.optimizer.end());
    save_safetensors(words[2], state.model);
  }
  return 0;
}

}  // namespace ddp::trainer::checkpoint_shards
