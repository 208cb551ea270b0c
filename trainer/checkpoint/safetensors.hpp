#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/checked_file.hpp"
#include "trainer/checkpoint/tensor_rows.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// A file of the safetensors format that other programs read too: 8 bytes of length, a JSON header, the
/// tensors' bytes. Types: F64, F32, F16, BF16, I64, I32, U8, BOOL.

/// Writes `tensors` (dense, on any device) to a new file and makes it durable. Throws std::invalid_argument
/// for a tensor that the format cannot hold or a name used twice, std::system_error when the disk refuses.
FileSum save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors);

/// Writes pieces of tensors, and in its metadata where in their tensors they are, as PyTorch's distributed
/// checkpoints (DCP) have it: HuggingFaceStorageReader and consolidate_safetensors_files read such files.
/// Empty shards are left out. Throws like save_safetensors, and std::invalid_argument for rows outside their
/// tensor.
FileSum save_safetensors_shard(const std::filesystem::path& path, const std::vector<TensorRows>& pieces);

/// The type that the format calls `dtype`; nullopt for one that is not supported here.
[[nodiscard]] std::optional<torch::ScalarType> scalar_type_of(std::string_view dtype);

struct LoadedTensors {
  NamedTensors tensors;  ///< in the order of the header, on the CPU
  FileSum sum;           ///< of the whole file
};

/// Reads a file that nobody vouches for, of a file with pieces of tensors the pieces: sizes are checked
/// against the file before memory is taken for them. Throws std::runtime_error that says what is wrong with
/// it, and std::system_error when the disk refuses.
[[nodiscard]] LoadedTensors load_safetensors(const std::filesystem::path& path);

}  // namespace ddp::trainer
