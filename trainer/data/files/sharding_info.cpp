#include "trainer/data/files/sharding_info.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "trainer/data/files/safetensors_header.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;

constexpr const char* kShardingInfo = "DCP_SHARDING_INFO";

tl::unexpected<std::string> refuse_info(const std::string& what) {
  return tl::unexpected(std::string("its ") + kShardingInfo + " " + what);
}

/// nullopt: it is no list of whole numbers from 0 on.
std::optional<std::vector<std::int64_t>> parse_offsets(const json& shard) {
  const auto list = shard.is_object() ? shard.find("saved_offsets") : shard.end();
  if (list == shard.end() || !list->is_array()) return std::nullopt;
  std::vector<std::int64_t> offsets;
  for (const json& offset : *list) {
    if (!offset.is_number_integer() || offset < 0) return std::nullopt;
    offsets.push_back(offset.get<std::int64_t>());
    if (offsets.back() < 0) return std::nullopt;  // beyond 63 bits
  }
  return offsets;
}

}  // namespace

tl::expected<std::optional<SavedOffsets>, std::string> parse_sharding_info(std::string_view header) {
  const json whole = json::parse(header, nullptr, false);
  if (!whole.is_object()) return tl::unexpected(std::string("its header is not a JSON object"));
  const auto metadata = whole.find(kSafetensorsMetadata);
  if (metadata == whole.end() || !metadata->is_object()) return std::nullopt;
  const auto text = metadata->find(kShardingInfo);
  if (text == metadata->end()) return std::nullopt;
  if (!text->is_string()) return refuse_info("is not a text");
  const json info = json::parse(text->get_ref<const std::string&>(), nullptr, false);
  if (!info.is_object()) return refuse_info("is not a JSON object");
  SavedOffsets saved;
  for (const auto& [name, shard] : info.items()) {
    auto offsets = parse_offsets(shard);
    if (!offsets) return refuse_info("has no valid saved_offsets for tensor '" + name + "'");
    saved[name] = std::move(*offsets);
  }
  return std::optional(std::move(saved));
}

tl::expected<std::optional<SavedOffsets>, std::string> read_sharding_info(const std::filesystem::path& path) {
  // It opens what is a regular file, and finds the header whole.
  if (const auto checked = read_safetensors_header(path); !checked) return tl::unexpected(checked.error());
  std::ifstream file(path, std::ios::binary);
  std::uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), sizeof length);
  std::string header(file ? std::min(length, kMaxSafetensorsHeader) : 0, '\0');
  if (!file.read(header.data(), static_cast<std::streamsize>(header.size())))
    return tl::unexpected("cannot read the header of '" + path.string() + "'");
  auto info = parse_sharding_info(header);
  if (!info)
    return tl::unexpected("'" + path.string() + "' is not a valid safetensors file: " + info.error());
  return info;
}

}  // namespace ddp::trainer
