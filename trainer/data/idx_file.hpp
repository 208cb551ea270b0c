#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ddp::trainer {

/// The content of a file in the IDX format of the MNIST family, of unsigned bytes.
struct IdxArray {
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;  ///< row-major
};

/// Reads an idx file, plain or gzip. Throws std::runtime_error, naming the file, when it cannot be read, is
/// not of this format, or is shorter or longer than its header says.
[[nodiscard]] IdxArray load_idx(const std::filesystem::path& path);

}  // namespace ddp::trainer
