#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace ddp::trainer {

/// What state.json of a checkpoint holds.
struct CheckpointState {
  std::uint64_t step = 0;
  std::uint64_t epoch = 0;                 ///< epochs that are done
  std::uint64_t position = 0;              ///< batches done in the next epoch
  std::int64_t world_size = 0;             ///< no more than an int holds, as `shards`
  std::int64_t shards = 0;                 ///< that a batch of all ranks falls into
  std::int64_t batch_size = 0;             ///< samples of a shard in a batch
  std::vector<std::string> settings = {};  ///< "train.seed: 42"
  std::int64_t total_steps = 0;            ///< of the run, when it was written
  std::uint64_t extra_tensors = 0;         ///< in extra.safetensors; 0 without that file
  std::string libtorch = {};               ///< version
  /// The names of the ranks' files, in the order of the ranks; empty: the checkpoint is not sharded. Here,
  /// because state.json is summed, and the names in the manifest are not.
  std::vector<std::string> shard_files = {};

  bool operator==(const CheckpointState&) const = default;
};

/// Replaces bytes that are not UTF-8, which settings may contain.
[[nodiscard]] std::string render_checkpoint_state(const CheckpointState& state);

/// `folder` is that of the checkpoint: where its name tells the step, the text has to tell the same one. The
/// error is the end of a sentence about the file: "is not a JSON object".
[[nodiscard]] tl::expected<CheckpointState, std::string> parse_checkpoint_state(
    std::string_view text, const std::filesystem::path& folder);

}  // namespace ddp::trainer
