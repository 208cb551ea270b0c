#pragma once

#include <filesystem>

#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// What lies in the folder of one checkpoint: model.safetensors, optimizer.safetensors, rng.safetensors,
/// state.json, extra.safetensors if there is something to hold, and manifest.json with size and crc32c of
/// each of them.

/// Makes `folder` and writes the files into it, each one durable; their names are not yet. Throws
/// std::system_error.
void save_checkpoint_files(const std::filesystem::path& folder, const TrainingState& state);

/// Throws std::runtime_error that says which file is missing, cut short or altered.
[[nodiscard]] TrainingState load_checkpoint_files(const std::filesystem::path& folder);

/// Whether the manifest is readable and every file has the size that it says. Does not read their contents.
[[nodiscard]] bool looks_complete(const std::filesystem::path& folder);

}  // namespace ddp::trainer
