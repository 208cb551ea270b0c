#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// There are checkpoints, but none whose files are whole. Never a reason to start again from step 0 silently.
struct NoValidCheckpoint : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A higher attempt of the run was claimed: this process is a leftover of an older one and must not commit.
struct AttemptSuperseded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The checkpoints of one run. One writer (rank 0); any number of readers.
///
/// A checkpoint is a folder `step-NNNNNNNN-aN` (N = attempt), complete and durable from the moment it has
/// that name. Its manifest.json holds size and crc32c of every other file.
class CheckpointStore {
 public:
  /// `highest_claim` returns the number of the highest attempt claimed so far; it is asked before every
  /// commit, and before LATEST is turned.
  CheckpointStore(std::filesystem::path folder, int attempt, std::function<int()> highest_claim);

  /// Writes `state`, makes it durable, commits it and keeps the newest `keep` (at least one) valid
  /// checkpoints. A checkpoint of the same step and attempt is replaced. Throws AttemptSuperseded, or
  /// std::runtime_error naming the file when the disk refuses; then the older checkpoints are untouched.
  void save(const TrainingState& state, std::int64_t keep);

  /// The newest checkpoint whose files are whole; nullopt when there is none at all. `on_invalid` is told of
  /// each newer one that was passed over, and why. Throws NoValidCheckpoint, with all the reasons, when there
  /// are some and none is valid.
  [[nodiscard]] std::optional<TrainingState> load_newest_valid(
      const std::function<void(const std::string&)>& on_invalid = [](const std::string&) {}) const;

 private:
  void check_claim(std::uint64_t step) const;

  std::filesystem::path folder_;
  int attempt_;
  std::function<int()> highest_claim_;
};

}  // namespace ddp::trainer
