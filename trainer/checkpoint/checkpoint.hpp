#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

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

/// A checkpoint is committed, but LATEST or BEST could not be turned to it. What it says begins with "but".
struct CheckpointNotNamed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a save has to tell besides that it went well.
struct SaveOutcome {
  std::uint64_t bytes = 0;            ///< of the tensors
  std::uint64_t free_bytes = 0;       ///< on the disk before the save
  std::vector<std::string> warnings;  ///< what could not be tidied up; the checkpoint itself is safe
};

/// What a save does besides.
struct SaveOptions {
  std::int64_t keep = 1;                         ///< so many of the newest checkpoints stay
  std::optional<BestScore> best = std::nullopt;  ///< of the one that is saved, if it is the best
};

/// A checkpoint whose files the caller writes.
struct NewCheckpoint {
  std::uint64_t step = 0;
  std::uint64_t bytes = 0;  ///< of its tensors: what has to fit on the disk
  /// Makes `folder` and writes all files into it, each one durable.
  std::function<void(const std::filesystem::path& folder)> write;
};

/// The checkpoints of one run. One writer (rank 0), one call at a time; any number of readers.
///
/// A checkpoint is a folder `step-NNNNNNNN-aN` (N = attempt), complete and durable from the moment it has
/// that name. Its manifest.json holds size and crc32c of every other file. LATEST and BEST hold the name of
/// one each; LATEST is for people and other programs, since loading looks at the folders themselves.
class CheckpointStore {
 public:
  /// `highest_claim` returns the number of the highest attempt claimed so far; it is asked before every
  /// commit, and before LATEST is turned.
  CheckpointStore(std::filesystem::path folder, int attempt, std::function<int()> highest_claim);

  /// Writes `state`, makes it durable, commits it and keeps the newest `keep` (at least one) valid
  /// checkpoints, and the one that BEST names. With `best`, that is from now on this one. A checkpoint of the
  /// same step and attempt is replaced. Throws AttemptSuperseded, or std::runtime_error naming the file when
  /// the disk refuses or has not the room; then the older checkpoints are untouched. CheckpointNotNamed says
  /// that the new one is there all the same.
  SaveOutcome save(const TrainingState& state, std::int64_t keep,
                   const std::optional<BestScore>& best = std::nullopt);

  /// The same with the files of `checkpoint`.
  SaveOutcome save(const NewCheckpoint& checkpoint, const SaveOptions& options);

  /// The folder that NewCheckpoint::write is given.
  [[nodiscard]] std::filesystem::path incomplete_folder(std::uint64_t step) const;

  /// Lets BEST name the newest checkpoint of `step` that is there. Throws like save().
  void pin_best(std::uint64_t step, const BestScore& best);

  /// The folder of the newest checkpoint in which `fault_of` finds nothing wrong: it is asked about one
  /// folder after the other, and gives an empty text for the one that it takes. nullopt when there is no
  /// checkpoint. `on_invalid` is told of each newer one that is passed over for it, and why. Throws
  /// NoValidCheckpoint, with all the reasons, when there are some and none is valid. An empty folder is none;
  /// one with files and without a manifest is one that is damaged.
  [[nodiscard]] std::optional<std::filesystem::path> find_newest_valid(
      const std::function<std::string(const std::filesystem::path&)>& fault_of,
      const std::function<void(const std::string&)>& on_invalid) const;

  /// The score of BEST; nullopt where it names no checkpoint. A file that cannot be read is told.
  [[nodiscard]] std::optional<BestScore> load_best_score(
      const std::function<void(const std::string&)>& on_invalid) const;

 private:
  void check_claim(std::uint64_t step) const;

  std::filesystem::path folder_;
  int attempt_;
  std::function<int()> highest_claim_;
};

/// The folder of the one checkpoint at `place`: itself, a LATEST or BEST that names a folder beside itself,
/// or a run or the checkpoints of one, whose LATEST counts. `fault_of` is asked about it, and about another
/// one if `place` stands for that by then. It gives an empty text for the one that it takes. Throws
/// NoValidCheckpoint when there is none, or `fault_of` does not take it.
[[nodiscard]] std::filesystem::path find_valid_checkpoint(
    const std::filesystem::path& place,
    const std::function<std::string(const std::filesystem::path&)>& fault_of);

}  // namespace ddp::trainer
