#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/format/file_sum.hpp"
#include "trainer/checkpoint/format/joined_tensors.hpp"

namespace ddp::cli {

/// All tensors of one part of a checkpoint, by the headers of its files.
struct TensorSet {
  trainer::TensorPart part = trainer::TensorPart::model;
  int shards = 0;                              ///< 0: one file holds the whole part
  std::vector<std::string> files;              ///< by shard
  std::vector<trainer::JoinedTensor> tensors;  ///< their pieces are in `files`
  std::vector<trainer::FileFault> faults;      ///< of headers, and of shards that do not make a whole

  [[nodiscard]] std::uint64_t bytes() const;
};

/// Reads the headers of those of `files`, which the manifest names, that are of a part, and puts the shards
/// of each tensor together. What is wrong is in `faults`; then tensors are left out.
[[nodiscard]] TensorSet load_tensor_set(const std::filesystem::path& folder, const trainer::FileSums& files,
                                        trainer::TensorPart part);

}  // namespace ddp::cli
