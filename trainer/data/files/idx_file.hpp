#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trainer/data/files/byte_source.hpp"

namespace ddp::trainer {

/// The content of a file in the IDX format of the MNIST family, of unsigned bytes.
struct IdxArray {
  std::vector<std::int64_t> shape;
  std::span<const std::uint8_t> bytes;  ///< row-major; valid as long as `owner` lives
  std::shared_ptr<const void> owner;
  /// Has the same bytes from `offset` on, also when `owner` is gone.
  std::shared_ptr<const ByteSource> source;
  std::uint64_t offset = 0;
};

/// Opens an idx file, which is mapped as long as `owner` lives; of one in gzip that which load_gzip keeps.
/// Throws std::runtime_error, naming the file, when it cannot be read, is not of this format, or is shorter
/// or longer than its header says.
[[nodiscard]] IdxArray load_idx(const std::filesystem::path& path);

}  // namespace ddp::trainer
