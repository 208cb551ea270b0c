#include "trainer/data/safetensors_header.hpp"

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

namespace ddp::trainer {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
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

tl::unexpected<std::string> fault(const std::filesystem::path& path, const std::string& what) {
  return tl::unexpected("'" + path.string() + "' is no valid safetensors file: " + what);
}

std::optional<std::vector<std::uint64_t>> parse_counts(const Json& tensor, const char* key) {
  const auto found = tensor.find(key);
  if (found == tensor.end() || !found->is_array()) return std::nullopt;
  std::vector<std::uint64_t> counts;
  for (const Json& item : *found) {
    if (!item.is_number_unsigned()) return std::nullopt;
    counts.push_back(item.get<std::uint64_t>());
  }
  return counts;
}

/// The bytes of a tensor of that shape; nullopt beyond 63 bits.
std::optional<std::uint64_t> size_of(const std::vector<std::uint64_t>& shape, std::uint64_t width) {
  std::uint64_t size = width;
  for (const std::uint64_t extent : shape) {
    if (extent > std::numeric_limits<std::int64_t>::max() || __builtin_mul_overflow(size, extent, &size))
      return std::nullopt;
  }
  return size;
}

/// `data_at` is where the data begins, `data_size` how much of it the file holds.
tl::expected<TensorEntry, std::string> parse_entry(const std::string& name, const Json& tensor,
                                                   std::uint64_t data_at, std::uint64_t data_size) {
  const auto refuse = [&](const char* what) { return tl::unexpected("tensor '" + name + "' " + what); };
  if (!tensor.is_object() || !tensor.contains("dtype") || !tensor["dtype"].is_string())
    return refuse("has no dtype");
  const auto dtype = tensor["dtype"].get<std::string>();
  const auto* width = std::ranges::find(kWidths, dtype, &Width::dtype);
  if (width == kWidths.end()) return refuse("has an unknown dtype");
  const auto shape = parse_counts(tensor, "shape");
  const auto offsets = parse_counts(tensor, "data_offsets");
  if (!shape) return refuse("has no shape");
  if (!offsets || offsets->size() != 2 || offsets->at(0) > offsets->at(1) || offsets->at(1) > data_size)
    return refuse("has data_offsets that are not in the file");
  if (size_of(*shape, width->bytes) != offsets->at(1) - offsets->at(0))
    return refuse("has a shape that does not fit its data_offsets");
  return TensorEntry{
      name, dtype, {shape->begin(), shape->end()}, data_at + offsets->at(0), data_at + offsets->at(1)};
}

}  // namespace

tl::expected<std::vector<TensorEntry>, std::string> read_safetensors_header(
    const std::filesystem::path& path) {
  const auto unreadable = [&](const std::string& why) {
    return tl::unexpected("cannot read '" + path.string() + "': " + why);
  };
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
  std::uint64_t length = 0;
  if (!file.read(reinterpret_cast<char*>(&length), kLengthBytes))
    return fault(path, "it is shorter than the length of its header");
  if (length > kMaxHeaderBytes || length > file_size - kLengthBytes)
    return fault(path, "its header would have " + std::to_string(length) + " bytes");
  std::string text(length, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(length)))
    return fault(path, "it ends within its header");
  const Json header = Json::parse(text, nullptr, false);
  if (!header.is_object()) return fault(path, "its header is no JSON object");
  const std::uint64_t data_at = kLengthBytes + length;
  std::vector<TensorEntry> entries;
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") continue;
    auto entry = parse_entry(name, tensor, data_at, file_size - data_at);
    if (!entry) return fault(path, entry.error());
    entries.push_back(std::move(*entry));
  }
  return entries;
}

}  // namespace ddp::trainer
