#pragma once

#include <filesystem>

#include "trainer/checkpoint/checked_file.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// A file of the safetensors format that other programs read too: 8 bytes of length, a JSON header, the
/// tensors' bytes. Types: F64, F32, F16, BF16, I64, I32, U8, BOOL.

/// Writes `tensors` (dense, on any device) to a new file and makes it durable. Throws std::invalid_argument
/// for a tensor that the format cannot hold or a name used twice, std::system_error when the disk refuses.
FileSum save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors);

struct LoadedTensors {
  NamedTensors tensors;  ///< in the order of the header, on the CPU
  FileSum sum;           ///< of the whole file
};

/// Reads a file that nobody vouches for: sizes are checked against the file before memory is taken for them.
/// Throws std::runtime_error that says what is wrong with it, and std::system_error when the disk refuses.
[[nodiscard]] LoadedTensors load_safetensors(const std::filesystem::path& path);

}  // namespace ddp::trainer
