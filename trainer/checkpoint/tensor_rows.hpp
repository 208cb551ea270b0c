#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// What a rank holds of a tensor: rows [first, first + rows.size(0)) of one of shape `shape`. A tensor
/// without dimensions has one row.
struct TensorRows {
  std::string name;
  torch::Tensor rows;
  std::int64_t first = 0;
  std::vector<std::int64_t> shape;  ///< of the whole tensor

  /// Whether it holds nothing of a tensor that is not empty itself.
  [[nodiscard]] bool is_empty_shard() const {
    return !shape.empty() && shape.front() > 0 && rows.dim() > 0 && rows.size(0) == 0;
  }
};

/// All of a tensor.
[[nodiscard]] inline TensorRows whole_tensor(const std::string& name, const torch::Tensor& tensor) {
  return {.name = name, .rows = tensor, .first = 0, .shape = tensor.sizes().vec()};
}

[[nodiscard]] inline std::vector<TensorRows> whole_tensors(const NamedTensors& tensors) {
  std::vector<TensorRows> whole;
  whole.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) whole.push_back(whole_tensor(name, tensor));
  return whole;
}

/// What a rank has of the tensors of a TrainingState. What is not sharded, such as a buffer or the step of
/// Adam, is in the lists of one rank only.
struct StateRows {
  std::vector<TensorRows> model;  ///< parameters, then buffers, under PyTorch's names
  std::vector<TensorRows> optimizer;
};

/// Puts `rows` in place of the tensors of `state`, and back.
void put_rows(const StateRows& rows, TrainingState& state);
[[nodiscard]] StateRows rows_of(const TrainingState& state);

}  // namespace ddp::trainer
