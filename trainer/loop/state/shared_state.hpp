#pragma once

#include <optional>

#include "ddp/trainer/process_group.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// Gives all ranks the state that rank 0 has (or that it has none); what the others pass is ignored. So one
/// rank alone chooses and reads a checkpoint, and no other needs to see the folder. A collective; tensors
/// come out on the CPU.
[[nodiscard]] std::optional<TrainingState> share_state(std::optional<TrainingState> state,
                                                       ProcessGroup& group);

}  // namespace ddp::trainer
