#pragma once

#include <vector>

#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// Which of `ranks` ranks updates each parameter: by bytes, the largest first, each to the rank that has the
/// least so far, the lowest of equals. Those that need no gradient do not count. Entries that are one tensor
/// under several names get one owner.
[[nodiscard]] std::vector<int> assign_owners(const NamedTensors& parameters, int ranks);

}  // namespace ddp::trainer
