#pragma once

#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "ddp/trainer/block.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// The parameters that travel together.
struct BlockParameters {
  Block* block = nullptr;   ///< null: what of the model is in no block
  std::string name;         ///< of the block in the model; empty: likewise
  NamedTensors parameters;  ///< under their names in the model
};

/// The blocks of `model`, each after the blocks inside of it, and at the end the model itself. Blocks without
/// parameters of their own are left out; a parameter that has several names counts once. The parameters of a
/// module come after those of its children: the order in which Python's fully_shard() finds them, on which
/// the bytes of sums over three and more ranks depend. Throws InvalidConfiguration when two of them have the
/// same parameter.
[[nodiscard]] std::vector<BlockParameters> find_block_parameters(torch::nn::Module& model);

}  // namespace ddp::trainer
