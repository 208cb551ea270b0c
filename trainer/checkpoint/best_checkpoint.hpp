#pragma once

#include <filesystem>
#include <optional>

#include "jobenv/record/checkpoint_name.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// What the file BEST of a folder of checkpoints says: a line with a name, and one with a score.
struct BestCheckpoint {
  CheckpointName name;
  BestScore score;
};

/// Throws std::runtime_error when the disk refuses.
void save_best(const std::filesystem::path& folder, const BestCheckpoint& best);

/// nullopt when there is none, or none that save_best wrote. Throws std::runtime_error when the file cannot
/// be read.
[[nodiscard]] std::optional<BestCheckpoint> load_best(const std::filesystem::path& folder);

}  // namespace ddp::trainer
