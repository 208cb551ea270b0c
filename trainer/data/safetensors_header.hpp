#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace ddp::trainer {

/// What the header of a safetensors file says of one tensor.
struct TensorEntry {
  std::string name;
  std::string dtype;  ///< as the format spells it: U8, F32, I64
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  ///< of its bytes in the file
  std::uint64_t end = 0;
};

/// Reads the header of a safetensors file and none of its data, so that a file of any size can be looked at.
/// Types of 1, 2, 4 and 8 bytes are known. Sizes are checked against each other and against the file. The
/// error says what is wrong with the file, and names it.
[[nodiscard]] tl::expected<std::vector<TensorEntry>, std::string> read_safetensors_header(
    const std::filesystem::path& path);

}  // namespace ddp::trainer
