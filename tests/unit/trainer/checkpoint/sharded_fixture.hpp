#pragma once

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/unit/trainer/checkpoint/checkpoint_fixture.hpp"
#include "trainer/checkpoint/checkpoint_files.hpp"

namespace ddp::trainer {

/// The rows that rank `rank` of `ranks` has of `whole`, as fully_shard shares them out.
inline TensorRows rows_of_rank(const std::string& name, const torch::Tensor& whole, int rank, int ranks) {
  const std::int64_t all = whole.size(0), chunk = (all + ranks - 1) / ranks;
  const std::int64_t begin = std::min(all, rank * chunk), end = std::min(all, (rank + 1) * chunk);
  return {.name = name,
          .rows = whole.narrow(0, begin, end - begin),
          .first = begin,
          .shape = whole.sizes().vec()};
}

/// What rank `rank` has of `tensors`: rank 0 has those without dimensions and those that are empty.
inline std::vector<TensorRows> rows_of_rank(const NamedTensors& tensors, int rank, int ranks) {
  std::vector<TensorRows> held;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.dim() > 0 && tensor.numel() > 0) {
      held.push_back(rows_of_rank(name, tensor, rank, ranks));
    } else if (rank == 0) {
      held.push_back(whole_tensor(name, tensor));
    }
  }
  return held;
}

/// Rows that no number of ranks but 1 and 7 divides, less rows than ranks, several types, and no rows at all.
inline TrainingState large_state_of(std::uint64_t step) {
  TrainingState state = state_of(step);
  const auto value = static_cast<float>(step);
  state.model.emplace_back("embed.weight", at::arange(35, at::kFloat).view({7, 5}) + value);
  state.model.emplace_back("half", (at::arange(12, at::kFloat).view({3, 2, 2}) - value).to(at::kBFloat16));
  state.model.emplace_back("one.row", at::full({1, 4}, value));
  state.model.emplace_back("no.rows", at::empty({0, 3}));
  state.model.emplace_back("batches", at::full({}, static_cast<std::int64_t>(step), at::kLong));
  state.optimizer.emplace_back("embed.weight.step", at::full({}, value));
  state.optimizer.emplace_back("embed.weight.exp_avg", at::arange(35, at::kFloat).view({7, 5}) / 3);
  return state;
}

/// What rank `rank` of `ranks` writes of `state`.
inline TrainingState part_of(const TrainingState& state, int rank, int ranks) {
  TrainingState part = state;
  put_rows({.model = rows_of_rank(state.model, rank, ranks),
            .optimizer = rows_of_rank(state.optimizer, rank, ranks)},
           part);
  if (rank == 0) return part;
  part.rng.clear();
  part.extra.clear();
  return part;
}

/// A checkpoint as `ranks` ranks write it, one after the other, with the name that it has until all is
/// durable.
inline void save_sharded_files(const std::filesystem::path& folder, const TrainingState& state, int ranks) {
  std::filesystem::create_directories(folder);
  FileSums sums;
  for (int rank = 0; rank < ranks; ++rank) {
    sums.merge(save_shard_files(folder, rank,
                                {.model = rows_of_rank(state.model, rank, ranks),
                                 .optimizer = rows_of_rank(state.optimizer, rank, ranks)}));
  }
  save_shared_files(folder, state, sums);
}

}  // namespace ddp::trainer
