#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// What state.json of a checkpoint holds. What an old checkpoint does not tell is 0 or empty.
struct CheckpointState {
  std::uint64_t step = 0;
  std::uint64_t epoch = 0;     ///< epochs that are done
  std::uint64_t position = 0;  ///< batches done in the next epoch
  std::int64_t world_size = 0;
  std::int64_t batch_size = 0;  ///< samples of a rank in a batch
  std::int64_t total_steps = 0;
  std::uint64_t extra_tensors = 0;    ///< in extra.safetensors
  std::vector<std::string> settings;  ///< "train.seed: 42"
  std::string libtorch;               ///< version

  bool operator==(const CheckpointState&) const = default;
};

/// The error has ExitCode::no_valid_checkpoint. Its message lacks the name of the file, which the caller puts
/// in front: "is missing".
[[nodiscard]] Expected<CheckpointState> load_checkpoint_state(const std::filesystem::path& folder);

}  // namespace ddp::cli
