#pragma once

#include <torch/types.h>

#include <algorithm>
#include <cstring>

#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// Whether both have the same type, shape and bytes (equal() would take -0 for 0 and refuse NaN).
inline bool same_tensor(const torch::Tensor& a, const torch::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const auto left = a.contiguous();
  const auto right = b.contiguous();
  return left.nbytes() == 0 || std::memcmp(left.data_ptr(), right.data_ptr(), left.nbytes()) == 0;
}

inline bool same_tensors(const NamedTensors& a, const NamedTensors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& left, const auto& right) {
    return left.first == right.first && same_tensor(left.second, right.second);
  });
}

inline bool same_state(const TrainingState& a, const TrainingState& b) {
  return a.step == b.step && a.epoch == b.epoch && a.position == b.position && a.world_size == b.world_size &&
         a.batch_size == b.batch_size && a.settings == b.settings && a.total_steps == b.total_steps &&
         same_tensors(a.model, b.model) && same_tensors(a.optimizer, b.optimizer) &&
         same_tensors(a.extra, b.extra) && std::ranges::equal(a.rng, b.rng, same_tensor);
}

}  // namespace ddp::trainer
