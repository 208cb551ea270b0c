#pragma once

#include <cstdint>
#include <filesystem>

#include "ddp/jobenv/error.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::cli {

/// Whether a file that is there already is replaced.
enum class Replacement { refused, allowed };

struct MergedTensors {
  std::size_t tensors = 0;
  int shards = 0;           ///< that were merged; 0: the part was one file, which was copied
  std::uint64_t bytes = 0;  ///< of the new file

  bool operator==(const MergedTensors&) const = default;
};

/// Writes one safetensors file with all tensors of a part of a checkpoint, each whole. The bytes are those of
/// the file that a training without shards would write. The files of the part are first compared with
/// manifest.json. Rows are copied through a buffer, so that memory does not grow with the model.
///
/// The file is written under a temporary name beside `target`, made durable and renamed: after an error, INT
/// or TERM nothing is left, and `target` is as it was. For one thread, as the signals are blocked. Errors:
/// ExitCode::no_valid_checkpoint for a damaged checkpoint, usage for a target that may not be written,
/// interrupted or terminated after a signal.
[[nodiscard]] Expected<MergedTensors> merge_tensors(const std::filesystem::path& folder,
                                                    trainer::TensorPart part,
                                                    const std::filesystem::path& target,
                                                    Replacement replacement);

}  // namespace ddp::cli
