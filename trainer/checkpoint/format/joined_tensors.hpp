#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainer/checkpoint/format/file_fault.hpp"
#include "trainer/data/files/safetensors_header.hpp"

namespace ddp::trainer {

/// What the header of a safetensors file says.
struct TensorHeader {
  std::string file;  ///< as faults name it
  std::vector<TensorEntry> entries;
};

/// Rows [first, first + rows) of a tensor, which lie in one file.
struct TensorPiece {
  std::size_t file = 0;  ///< of the headers
  std::int64_t first = 0;
  std::int64_t rows = 0;    ///< 1 for a tensor without dimensions
  std::uint64_t begin = 0;  ///< of their bytes in the file
  std::uint64_t end = 0;

  bool operator==(const TensorPiece&) const = default;
};

/// A tensor, whole, wherever its rows lie.
struct JoinedTensor {
  std::string name;
  std::string dtype;                ///< as the format spells it: F32
  std::vector<std::int64_t> shape;  ///< of the whole tensor
  std::vector<TensorPiece> pieces;  ///< in the order of the rows, of which they have each one once

  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t elements() const;
};

struct JoinedTensors {
  std::vector<JoinedTensor> tensors;  ///< in the order of the first header that has them
  std::vector<FileFault> faults;      ///< no more than one of each tensor, which is left out then
};

/// Puts the shards of each tensor together as torch.distributed.checkpoint does: the whole reaches as far as
/// the farthest shard. Shards are rows, the first dimension.
[[nodiscard]] JoinedTensors join_tensors(const std::vector<TensorHeader>& headers);

}  // namespace ddp::trainer
