#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/tensor_files.hpp"

namespace ddp::trainer {

/// The tensors of one part of a checkpoint, and the files that hold them.
struct TensorIndex {
  std::vector<std::string> files;     ///< names in the folder of the checkpoint
  std::vector<StoredTensor> tensors;  ///< of TensorFiles::tensors()
};

/// All that has to be known of a checkpoint before rows of it can be read: the small files, and what the
/// headers of the others say. One rank reads it and sends it to the others, so that each of them opens only
/// the files whose rows it needs.
struct CheckpointIndex {
  std::string manifest;  ///< the text of manifest.json
  std::string state;     ///< the text of state.json
  TensorIndex model;
  TensorIndex optimizer;
  TensorIndex rng;
  TensorIndex extra;  ///< of no files where there is nothing to hold
};

/// Reads the index of the checkpoint in `folder`, and checks that each file has the size that the manifest
/// says. Throws std::runtime_error that says which file is missing, cut short or altered.
[[nodiscard]] CheckpointIndex read_checkpoint_index(const std::filesystem::path& folder);

/// An index as bytes, and back: how a rank sends it to the others.
[[nodiscard]] std::string render_checkpoint_index(const CheckpointIndex& index);
[[nodiscard]] CheckpointIndex parse_checkpoint_index(std::string_view bytes);

}  // namespace ddp::trainer
