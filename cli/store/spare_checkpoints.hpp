#pragma once

#include <filesystem>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// The checkpoints of an ended run, and what is left of others, without the newest, the best and what LATEST
/// names. Empty if it has no complete checkpoint, or if LATEST or BEST cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> find_spare_checkpoints(const RunFolder& run);

/// Gives the checkpoint the name of one that is about to be deleted, which the trainer knows, and deletes it.
[[nodiscard]] Expected<void> remove_checkpoint(const std::filesystem::path& checkpoint);

}  // namespace ddp::cli
