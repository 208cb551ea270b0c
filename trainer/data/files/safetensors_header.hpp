#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
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
  /// Where its first element is in the tensor of which it is a piece, a number for each dimension. The files
  /// of a sharded checkpoint say so (kShardingInfo); zeros in any other file, which has whole tensors.
  std::vector<std::int64_t> offsets = {};
};

/// The name in a header that is no tensor's.
inline constexpr std::string_view kSafetensorsMetadata = "__metadata__";
/// The key in the metadata under which PyTorch's distributed checkpoints (DCP) have the offsets of each
/// tensor, as a text of JSON: name → {"saved_offsets": [row, 0, …]}.
inline constexpr std::string_view kShardingInfo = "DCP_SHARDING_INFO";
inline constexpr std::string_view kSavedOffsets = "saved_offsets";
/// The longest header, in bytes, as the format has it.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// What a header of this text says, in its order; `data_at` is where the data begins in the file.
/// Types of 1, 2, 4 and 8 bytes are known. Each tensor is checked for itself: its shape fits its bytes, and
/// its offsets fit its shape. The error says what is wrong.
[[nodiscard]] tl::expected<std::vector<TensorEntry>, std::string> parse_safetensors_header(
    const std::string& text, std::uint64_t data_at);

/// Reads the header of a safetensors file and none of its data, so that a file of any size can be looked at.
/// Sizes are checked against the file, too. The error is the end of a sentence about the file: "cannot be
/// read: it is a folder".
[[nodiscard]] tl::expected<std::vector<TensorEntry>, std::string> read_safetensors_header(
    const std::filesystem::path& path);

}  // namespace ddp::trainer
