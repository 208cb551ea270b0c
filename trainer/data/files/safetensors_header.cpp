#include "trainer/data/files/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "jobenv/record/fields/json_text.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;  // with its names sorted: one is found quickly

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint64_t kLengthBytes = sizeof(std::uint64_t);

struct Width {
  std::string_view dtype;
  std::uint64_t bytes;
};
constexpr std::array kWidths = {
    Width{"F64", 8}, Width{"F32", 4}, Width{"F16", 2},  Width{"BF16", 2}, Width{"I64", 8},
    Width{"U64", 8}, Width{"I32", 4}, Width{"U32", 4},  Width{"I16", 2},  Width{"U16", 2},
    Width{"I8", 1},  Width{"U8", 1},  Width{"BOOL", 1},
};

tl::unexpected<std::string> fault(const std::string& what) {
  return tl::unexpected("is not a valid safetensors file: " + what);
}

using Counts = std::vector<std::uint64_t>;

tl::expected<Counts, std::string> parse_counts(const json& tensor, std::string_view key_name) {
  const std::string key(key_name);
  const auto found = tensor.find(key);
  if (found == tensor.end() || !found->is_array()) return tl::unexpected("has no list " + key);
  Counts counts;
  for (const auto& item : *found) {
    if (!item.is_number_unsigned())
      return tl::unexpected("has a number in " + key + " that is not a whole number");
    counts.push_back(item.get<std::uint64_t>());
  }
  return counts;
}

/// The bytes of a tensor of that shape; nullopt beyond 63 bits.
std::optional<std::uint64_t> size_of(const Counts& shape, std::uint64_t width) {
  std::uint64_t size = width;
  for (const std::uint64_t extent : shape) {
    if (extent > std::numeric_limits<std::int64_t>::max() || __builtin_mul_overflow(size, extent, &size))
      return std::nullopt;
  }
  return size;
}

/// Of all tensors, as DCP writes it; null where the header has none.
tl::expected<json, std::string> parse_sharding_info(const json& header) {
  const auto metadata = header.find(std::string(kSafetensorsMetadata));
  if (metadata == header.end()) return json();
  if (!metadata->is_object()) return tl::unexpected(std::string("its __metadata__ is not a JSON object"));
  const auto text = metadata->find(std::string(kShardingInfo));
  if (text == metadata->end()) return json();
  json info;
  if (text->is_string()) info = parse_json(text->get_ref<const std::string&>());
  if (!info.is_object())
    return tl::unexpected("its " + std::string(kShardingInfo) + " is not the text of a JSON object");
  return info;
}

/// Of one tensor.
tl::expected<Counts, std::string> parse_saved_offsets(const std::string& name, const Counts& shape,
                                                      const json& info) {
  if (info.is_null()) return Counts(shape.size(), 0);
  const auto found = info.find(name);
  if (found == info.end() || !found->is_object())
    return tl::unexpected("has no entry in " + std::string(kShardingInfo));
  auto offsets = parse_counts(*found, kSavedOffsets);
  if (!offsets) return offsets;
  if (offsets->size() != shape.size())
    return tl::unexpected(std::string("has saved_offsets that do not fit its shape"));
  for (std::size_t i = 0; i < shape.size(); ++i) {  // an extent has 63 bits
    if (offsets->at(i) > std::numeric_limits<std::int64_t>::max() - shape[i])
      return tl::unexpected(std::string("has saved_offsets that are too large"));
  }
  return offsets;
}

tl::expected<TensorEntry, std::string> parse_entry(const std::string& name, const json& tensor,
                                                   std::uint64_t data_at, const json& info) {
  const auto refuse = [](const std::string& what) { return tl::unexpected(what); };
  if (!tensor.is_object()) return refuse("is not a JSON object");
  const auto dtype =
      tensor.contains("dtype") && tensor["dtype"].is_string() ? tensor["dtype"].get<std::string>() : "";
  const auto* width = std::ranges::find(kWidths, dtype, &Width::dtype);
  if (width == kWidths.end()) return refuse("has the unknown dtype '" + dtype + "'");
  const auto shape = parse_counts(tensor, "shape");
  if (!shape) return refuse(shape.error());
  const auto offsets = parse_counts(tensor, "data_offsets");
  if (!offsets) return refuse(offsets.error());
  if (offsets->size() != 2 || offsets->at(0) > offsets->at(1))
    return refuse("has no [begin, end] of its data");
  const auto size = size_of(*shape, width->bytes);
  if (!size) return refuse("is too large");
  if (*size != offsets->at(1) - offsets->at(0))
    return refuse("has a shape that does not fit its data_offsets");
  if (offsets->at(1) > std::numeric_limits<std::uint64_t>::max() - data_at) return refuse("is too large");
  const auto piece = parse_saved_offsets(name, *shape, info);
  if (!piece) return refuse(piece.error());
  return TensorEntry{.name = name,
                     .dtype = dtype,
                     .shape = {shape->begin(), shape->end()},
                     .begin = data_at + offsets->at(0),
                     .end = data_at + offsets->at(1),
                     .offsets = {piece->begin(), piece->end()}};
}

}  // namespace

tl::expected<std::vector<TensorEntry>, std::string> parse_safetensors_header(const std::string& text,
                                                                             std::uint64_t data_at) {
  std::vector<std::string> names;
  const json header = parse_json(text, names);
  if (!header.is_object()) return tl::unexpected(std::string("its header is not a JSON object"));
  if (names.size() != header.size()) return tl::unexpected(std::string("its header has a name twice"));
  const auto info = parse_sharding_info(header);
  if (!info) return tl::unexpected(info.error());
  std::vector<TensorEntry> entries;
  for (const auto& name : names) {
    if (name == kSafetensorsMetadata) continue;
    auto entry = parse_entry(name, header.at(name), data_at, *info);
    if (!entry) return tl::unexpected("tensor '" + name + "' " + entry.error());
    entries.push_back(std::move(*entry));
  }
  return entries;
}

tl::expected<std::vector<TensorEntry>, std::string> read_safetensors_header(
    const std::filesystem::path& path) {
  const auto unreadable = [](const std::string& why) { return tl::unexpected("cannot be read: " + why); };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error) return unreadable(error.message());
  if (!is_regular_file(status))  // to open a FIFO would wait for who writes to it
    return unreadable(is_directory(status) ? "it is a folder" : "it is not a regular file");
  const std::uint64_t file_size = std::filesystem::file_size(path, error);
  if (error) return unreadable(error.message());
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(std::strerror(errno));
  const auto ends_early = [&](const std::string& what) {  // or the disk does not give it
    return file.bad() ? unreadable(std::strerror(errno)) : fault(what);
  };
  std::uint64_t length = 0;
  if (!file.read(reinterpret_cast<char*>(&length), kLengthBytes))
    return ends_early("it is shorter than the length of its header");
  if (length > kMaxSafetensorsHeader || length > file_size - kLengthBytes)
    return fault("its header would have " + std::to_string(length) + " bytes");
  std::string text(length, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(length)))
    return ends_early("it ends within its header");
  auto entries = parse_safetensors_header(text, kLengthBytes + length);
  if (!entries) return fault(entries.error());
  const auto outside =
      std::ranges::find_if(*entries, [&](const auto& entry) { return entry.end > file_size; });
  if (outside != entries->end())
    return fault("tensor '" + outside->name + "' has data_offsets that are not in the file");
  return entries;
}

}  // namespace ddp::trainer
