#pragma once

#include <torch/types.h>

#include <vector>

#include "ddp/trainer/process_group.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// The parameters of each owner in one piece of memory, so that they travel together, without a copy.
class ParameterBlocks {
 public:
  /// Moves those that need a gradient into their blocks: the tensors stay what they are, with their values
  /// and strides, but lie elsewhere. `owners` holds a rank for each. Parameters are all on one device and
  /// must not be moved afterwards. Throws InvalidConfiguration for one whose memory has holes. `group` must
  /// outlive this object.
  ParameterBlocks(const NamedTensors& parameters, const std::vector<int>& owners, ProcessGroup& group);

  /// Gives all ranks the parameters as their owners have them. A collective.
  void share();

 private:
  ProcessGroup& group_;
  std::vector<torch::Tensor> blocks_;  // of bytes, by owner; undefined for who owns none
};

}  // namespace ddp::trainer
