#include "trainer/checkpoint/safetensors.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>

namespace ddp::trainer {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
constexpr const char* kMetadata = "__metadata__";

struct Type {
  std::string_view name;
  torch::ScalarType scalar;
};

constexpr std::array kTypes{
    Type{"F64", torch::kFloat64},   Type{"F32", torch::kFloat32}, Type{"F16", torch::kFloat16},
    Type{"BF16", torch::kBFloat16}, Type{"I64", torch::kInt64},   Type{"I32", torch::kInt32},
    Type{"U8", torch::kUInt8},      Type{"BOOL", torch::kBool},
};

std::string_view name_of_type(const std::string& tensor, torch::ScalarType scalar) {
  const auto* found = std::ranges::find(kTypes, scalar, &Type::scalar);
  if (found == kTypes.end()) {
    throw std::invalid_argument("tensor '" + tensor + "': safetensors files here hold no " +
                                c10::toString(scalar));
  }
  return found->name;
}

/// The tensors in the order of their bytes in the file: wide types first, so that each one is aligned to its
/// own width.
std::vector<std::size_t> file_order(const std::vector<torch::Tensor>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return tensors[i].element_size(); });
  return order;
}

std::vector<torch::Tensor> on_cpu(const NamedTensors& named) {
  std::vector<torch::Tensor> tensors;
  tensors.reserve(named.size());
  for (const auto& [name, tensor] : named) tensors.push_back(tensor.detach().to(torch::kCPU).contiguous());
  return tensors;
}

void check_names(const NamedTensors& named) {
  std::set<std::string_view> seen{kMetadata};
  for (const auto& [name, tensor] : named) {
    if (!seen.insert(name).second) throw std::invalid_argument("tensor name '" + name + "' is used twice");
  }
}

/// The header with spaces behind it, so that the data starts at a multiple of 8.
std::string render_header(const NamedTensors& named, const std::vector<torch::Tensor>& tensors,
                          const std::vector<std::size_t>& order) {
  std::vector<std::size_t> begin(tensors.size());
  std::size_t end = 0;
  for (const std::size_t i : order) {
    begin[i] = end;
    end += tensors[i].nbytes();
  }
  Json header = {{kMetadata, {{"format", "pt"}}}};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string& name = named[i].first;
    header[name] = {{"dtype", name_of_type(name, tensors[i].scalar_type())},
                    {"shape", tensors[i].sizes().vec()},
                    {"data_offsets", {begin[i], begin[i] + tensors[i].nbytes()}}};
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

std::span<std::byte> bytes_of(const torch::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()};
}

/// One tensor of a header, checked for itself.
struct Entry {
  std::string name;
  torch::ScalarType scalar{};
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  torch::Tensor tensor = {};
};

class Fault {
 public:
  explicit Fault(const std::filesystem::path& path) : path_(path) {}
  [[noreturn]] void operator()(const std::string& what) const {
    throw std::runtime_error("'" + path_.string() + "' is no valid safetensors file: " + what);
  }

 private:
  const std::filesystem::path& path_;
};

std::vector<std::uint64_t> parse_counts(const Json& list, const std::string& name, const Fault& fault) {
  std::vector<std::uint64_t> counts;
  if (!list.is_array()) fault("tensor '" + name + "' lacks a list of shape or data_offsets");
  for (const Json& item : list) {
    if (!item.is_number_unsigned()) fault("tensor '" + name + "' has a size that is no natural number");
    counts.push_back(item.get<std::uint64_t>());
  }
  return counts;
}

/// The bytes that `shape` needs; a product beyond 64 bits is a fault.
std::uint64_t size_of(const std::vector<std::uint64_t>& shape, std::uint64_t width, const std::string& name,
                      const Fault& fault) {
  std::uint64_t size = width;
  bool overflow = false;
  for (const std::uint64_t extent : shape) {
    overflow = overflow || extent > std::numeric_limits<std::int64_t>::max() ||
               __builtin_mul_overflow(size, extent, &size);
  }
  if (overflow) fault("tensor '" + name + "' is too large to exist");
  return size;
}

Entry parse_entry(const std::string& name, const Json& tensor, const Fault& fault) {
  if (!tensor.is_object()) fault("tensor '" + name + "' is no JSON object");
  const std::string dtype =
      tensor.contains("dtype") && tensor["dtype"].is_string() ? tensor["dtype"].get<std::string>() : "";
  const auto* type = std::ranges::find(kTypes, std::string_view(dtype), &Type::name);
  if (type == kTypes.end()) fault("tensor '" + name + "' has the unknown dtype '" + dtype + "'");
  const auto shape = parse_counts(tensor.value("shape", Json()), name, fault);
  const auto offsets = parse_counts(tensor.value("data_offsets", Json()), name, fault);
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    fault("tensor '" + name + "' has no [begin, end] of its data");
  if (size_of(shape, c10::elementSize(type->scalar), name, fault) != offsets[1] - offsets[0]) {
    fault("tensor '" + name + "' has a shape that does not fit its data_offsets");
  }
  return {name, type->scalar, {shape.begin(), shape.end()}, offsets[0], offsets[1]};
}

/// The data must be covered from its first to its last byte, each byte by one tensor.
void check_coverage(std::vector<Entry*>& by_offset, std::uint64_t data_size, const Fault& fault) {
  std::ranges::sort(by_offset, {}, [](const Entry* entry) { return std::pair(entry->begin, entry->end); });
  std::uint64_t end = 0;
  for (const Entry* entry : by_offset) {
    if (entry->begin != end) fault("there is a gap or an overlap before tensor '" + entry->name + "'");
    end = entry->end;
  }
  if (end != data_size) {
    fault("its tensors need " + std::to_string(end) + " bytes, it holds " + std::to_string(data_size));
  }
}

std::vector<Entry> read_header(CheckedReader& file, const Fault& fault) {
  std::uint64_t length = 0;
  if (file.remaining() < sizeof length) fault("it is shorter than the length of its header");
  file.read(std::as_writable_bytes(std::span(&length, 1)));
  if (length > kMaxHeaderBytes || length > file.remaining()) {
    fault("its header would have " + std::to_string(length) + " bytes");
  }
  std::string text(length, '\0');
  file.read(std::as_writable_bytes(std::span(text)));
  const Json header = Json::parse(text, nullptr, false);
  if (!header.is_object()) fault("its header is no JSON object");
  std::vector<Entry> entries;
  for (const auto& [name, tensor] : header.items()) {
    if (name != kMetadata) entries.push_back(parse_entry(name, tensor, fault));
  }
  return entries;
}

}  // namespace

FileSum save_safetensors(const std::filesystem::path& path, const NamedTensors& named) {
  check_names(named);
  const std::vector<torch::Tensor> tensors = on_cpu(named);
  const std::vector<std::size_t> order = file_order(tensors);
  const std::string header = render_header(named, tensors, order);
  const std::uint64_t length = header.size();
  CheckedWriter file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (const std::size_t i : order) file.write(bytes_of(tensors[i]));
  return file.finish();
}

LoadedTensors load_safetensors(const std::filesystem::path& path) {
  CheckedReader file(path);
  std::vector<Entry> entries = read_header(file, Fault(path));
  std::vector<Entry*> by_offset;
  by_offset.reserve(entries.size());
  for (Entry& entry : entries) by_offset.push_back(&entry);
  check_coverage(by_offset, file.remaining(), Fault(path));
  for (Entry* entry : by_offset) {
    entry->tensor = at::empty(entry->shape, torch::TensorOptions().dtype(entry->scalar));
    file.read(bytes_of(entry->tensor));
  }
  LoadedTensors loaded;
  for (Entry& entry : entries) loaded.tensors.emplace_back(std::move(entry.name), std::move(entry.tensor));
  loaded.sum = file.sum();
  return loaded;
}

}  // namespace ddp::trainer
