#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "jobenv/record/run_folder.hpp"

namespace ddp {

/// The newest checkpoint of a training: the one that its next attempt goes on from, if its files are whole.
struct LatestCheckpoint {
  std::uint64_t step = 0;
  std::filesystem::path folder;                     ///< absolute
  std::optional<std::filesystem::path> parameters;  ///< its model.safetensors, if it has one
  bool is_sharded = false;                          ///< each rank has written files of its own
};

/// Whether a folder holds a checkpoint, whatever it is called: it has a manifest. Whether that holds, only a
/// look at the files tells.
[[nodiscard]] bool is_checkpoint(const std::filesystem::path& folder);

/// Whether all files that its manifest names are there, with their sizes. Of a run on a host that shares no
/// folder with this machine, only the manifest may be here.
[[nodiscard]] bool has_all_files(const std::filesystem::path& checkpoint);

/// As the trainer finds it, by the names of the folders that hold a checkpoint: LATEST lags behind while one
/// is committed, and stays there when the writer dies in that moment. nullopt when there is none. Reads no
/// file with tensors.
[[nodiscard]] std::optional<LatestCheckpoint> find_latest_checkpoint(const RunFolder& run);

/// The folder of the checkpoint that `place` stands for: its own, that of a LATEST or BEST, or that of the
/// newest one of a run or of the checkpoints of a run. nullopt when none is there. Does not read its files.
[[nodiscard]] std::optional<std::filesystem::path> find_checkpoint(const std::filesystem::path& place);

/// How many epochs were done when it was written; nullopt: that cannot be read.
[[nodiscard]] std::optional<std::int64_t> load_epochs_done(const LatestCheckpoint& checkpoint);

}  // namespace ddp
