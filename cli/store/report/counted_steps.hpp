#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "cli/store/metrics/training_history.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// The time of those steps that the result of a run is made of: of each attempt until the checkpoint that
/// the next one went on from, and of the last one until step `kept` (nullopt: all that it has told of).
/// Between two records time runs evenly. nullopt: the records do not tell.
[[nodiscard]] std::optional<std::chrono::duration<double>> time_of_counted_steps(
    std::span<const AttemptStatus> attempts, const TrainingHistory& history,
    std::optional<std::int64_t> kept);

}  // namespace ddp::cli
