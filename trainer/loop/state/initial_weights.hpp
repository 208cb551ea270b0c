#pragma once

#include <filesystem>

#include "ddp/trainer/invalid_configuration.hpp"
#include "ddp/trainer/process_group.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// Weights that are not those of this model.
struct WeightsMismatch : InvalidConfiguration {
  using InvalidConfiguration::InvalidConfiguration;
};

/// Gives the model of `strategy` the parameters and buffers at `place`, which load_weights() reads, by name:
/// all of them, and no others; floating point is converted to the model's type. Rank 0 reads them, the others
/// get its tensors. Returns on rank 0 what it has read: of a run folder, its newest checkpoint. A collective.
/// Throws WeightsMismatch that names the tensors which do not fit, InvalidConfiguration when there are no
/// weights, and what load_weights() throws otherwise.
std::filesystem::path load_initial_weights(Strategy& strategy, const std::filesystem::path& place,
                                           ProcessGroup& group);

}  // namespace ddp::trainer
