#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace ddp::trainer {

/// Where each tensor of a file begins within the whole tensor that it is a shard of: one index per dimension,
/// by the name of the tensor.
using SavedOffsets = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

/// What the metadata of a header says of shards, as torch.distributed.checkpoint writes it
/// ("DCP_SHARDING_INFO": the JSON text of {name: {"saved_offsets": [row, 0]}}). nullopt: the tensors are
/// whole. The error says what is wrong.
[[nodiscard]] tl::expected<std::optional<SavedOffsets>, std::string> parse_sharding_info(
    std::string_view header);

/// The same of a safetensors file, of which only the header is read. The error names the file.
[[nodiscard]] tl::expected<std::optional<SavedOffsets>, std::string> read_sharding_info(
    const std::filesystem::path& path);

}  // namespace ddp::trainer
