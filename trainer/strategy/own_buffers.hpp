#pragma once

#include <torch/types.h>

#include <vector>

#include "ddp/trainer/model.hpp"

namespace ddp::trainer {

/// The buffers of a rank that keeps its own, such as running statistics, while its model has those of rank 0.
/// Used by one thread.
class OwnBuffers {
 public:
  /// Keeps those of `model`, unless they are kept already.
  void keep(const Model& model);

  /// Gives them back to `model`, if they are kept.
  void give_back(const Model& model);

 private:
  std::vector<torch::Tensor> kept_;
};

}  // namespace ddp::trainer
