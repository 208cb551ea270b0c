#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "trainer/checkpoint/format/file_fault.hpp"

namespace ddp::cli {

/// What a look at every byte of a checkpoint has found.
struct Verification {
  std::filesystem::path folder;
  std::uint64_t step = 0;   ///< 0: state.json does not tell
  std::size_t files = 0;    ///< that manifest.json names
  std::uint64_t bytes = 0;  ///< of them
  std::size_t tensors = 0;  ///< of all files, each once, however many shards it has
  int shards = 0;           ///< of the model; 0: it is whole
  std::vector<trainer::FileFault> faults;

  [[nodiscard]] bool is_valid() const { return faults.empty(); }
};

/// Reads all files of a checkpoint: sizes and sums against manifest.json, state.json, the headers of the
/// safetensors files, and whether shards hold each row of a tensor once.
[[nodiscard]] Verification verify_checkpoint(const std::filesystem::path& folder);

}  // namespace ddp::cli
