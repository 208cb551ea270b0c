#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/checked_file.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// What state.json holds of a checkpoint.
struct StateFile {
  TrainingState state;                   ///< without its tensors
  std::size_t extra_tensors = 0;         ///< in extra.safetensors; 0 without that file
  std::vector<std::string> shard_files;  ///< of CheckpointState
};

/// Writes a new file and makes it durable. Throws std::system_error.
FileSum save_state_file(const std::filesystem::path& file, const TrainingState& state,
                        const std::vector<std::string>& shard_files);

/// What `text`, that of state.json in `folder`, says. Throws std::runtime_error that names the file.
[[nodiscard]] StateFile parse_state_of(const std::filesystem::path& folder, std::string_view text);

}  // namespace ddp::trainer
