#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/checkpoint/file_fault.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/format/file_sum.hpp"

namespace ddp::cli {

/// Rows of a tensor that lie in one file.
struct TensorPiece {
  std::string file;
  std::int64_t row = 0;     ///< the first, in the whole tensor
  std::int64_t rows = 0;    ///< 1 for a tensor without dimensions
  std::uint64_t begin = 0;  ///< of their bytes in the file
  std::uint64_t end = 0;

  bool operator==(const TensorPiece&) const = default;
};

/// A tensor, whole, wherever its rows lie.
struct WholeTensor {
  std::string name;
  std::string dtype;  ///< as the format spells it: F32
  std::vector<std::int64_t> shape;
  std::vector<TensorPiece> pieces;  ///< in the order of the rows, of which they have each one once

  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t elements() const;
};

/// All tensors of one part of a checkpoint, by the headers of its files.
struct TensorSet {
  trainer::TensorPart part = trainer::TensorPart::model;
  int shards = 0;                    ///< 0: one file holds the whole part
  std::vector<std::string> files;    ///< by shard
  std::vector<WholeTensor> tensors;  ///< in the order of the first header that has them
  std::vector<FileFault> faults;     ///< of headers, and of shards that do not make a whole

  [[nodiscard]] std::uint64_t bytes() const;
};

/// Reads the headers of those of `files`, which the manifest names, that are of a part, and puts the shards
/// of each tensor together as torch.distributed.checkpoint does: the whole reaches as far as the farthest
/// shard. Shards are rows, the first dimension. What is wrong is in `faults`; then tensors are left out.
[[nodiscard]] TensorSet load_tensor_set(const std::filesystem::path& folder, const trainer::FileSums& files,
                                        trainer::TensorPart part);

}  // namespace ddp::cli
