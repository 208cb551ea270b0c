#include "trainer/checkpoint/safetensors.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>

#include "trainer/data/files/safetensors_header.hpp"

namespace ddp::trainer {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

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
    throw std::invalid_argument("tensor '" + tensor + "' has type " + c10::toString(scalar) +
                                ", which safetensors files cannot hold here");
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
  std::set<std::string_view> seen{kSafetensorsMetadata};
  for (const auto& [name, tensor] : named) {
    if (!seen.insert(name).second) throw std::invalid_argument("tensor name '" + name + "' is used twice");
  }
}

/// The header with spaces behind it, so that the data starts at a multiple of 8.
std::string render_header(const NamedTensors& named, const std::vector<torch::Tensor>& tensors,
                          const std::vector<std::size_t>& order, const Json& metadata) {
  std::vector<std::size_t> begin(tensors.size());
  std::size_t end = 0;
  for (const std::size_t i : order) {
    begin[i] = end;
    end += tensors[i].nbytes();
  }
  Json header = {{kSafetensorsMetadata, metadata}};
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

class Fault {
 public:
  explicit Fault(const std::filesystem::path& path) : path_(path) {}
  [[noreturn]] void operator()(const std::string& what) const {
    throw std::runtime_error("'" + path_.string() + "' is not a valid safetensors file: " + what);
  }

 private:
  const std::filesystem::path& path_;
};

torch::ScalarType scalar_type(const TensorEntry& entry, const Fault& fault) {
  const auto type = scalar_type_of(entry.dtype);
  if (!type) fault("tensor '" + entry.name + "' has type " + entry.dtype + ", which is not supported");
  return *type;
}

/// The tensors in the order of their bytes, which must cover the `data_size` bytes from `data_at` on, each
/// byte by one tensor.
std::vector<std::size_t> order_of_bytes(const std::vector<TensorEntry>& entries, std::uint64_t data_at,
                                        std::uint64_t data_size, const Fault& fault) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(entries[i].begin, entries[i].end); });
  std::uint64_t end = data_at;
  for (const std::size_t i : order) {
    if (entries[i].begin != end)
      fault("there is a gap or an overlap before tensor '" + entries[i].name + "'");
    end = entries[i].end;
  }
  if (end - data_at != data_size) {
    fault("its tensors need " + std::to_string(end - data_at) + " bytes, but it holds " +
          std::to_string(data_size));
  }
  return order;
}

std::string read_header(CheckedReader& file, const Fault& fault) {
  std::uint64_t length = 0;
  if (file.remaining() < sizeof length) fault("it is shorter than the length of its header");
  file.read(std::as_writable_bytes(std::span(&length, 1)));
  if (length > kMaxSafetensorsHeader || length > file.remaining()) {
    fault("its header would have " + std::to_string(length) + " bytes");
  }
  std::string text(length, '\0');
  file.read(std::as_writable_bytes(std::span(text)));
  return text;
}

FileSum write_tensors(const std::filesystem::path& path, const NamedTensors& named, const Json& metadata) {
  check_names(named);
  const std::vector<torch::Tensor> tensors = on_cpu(named);
  const std::vector<std::size_t> order = file_order(tensors);
  const std::string header = render_header(named, tensors, order, metadata);
  const std::uint64_t length = header.size();
  CheckedWriter file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (const std::size_t i : order) file.write(bytes_of(tensors[i]));
  return file.finish();
}

void check_rows(const TensorRows& piece) {
  const auto refuse = [&](const char* why) {
    throw std::invalid_argument("the rows of tensor '" + piece.name + "' " + why);
  };
  const auto sizes = piece.rows.sizes();
  if (sizes.size() != piece.shape.size()) refuse("have another number of dimensions");
  for (std::size_t i = 1; i < sizes.size(); ++i)
    if (sizes[i] != piece.shape[i]) refuse("have another shape");
  const std::int64_t count = sizes.empty() ? 1 : sizes.front();
  const std::int64_t all = sizes.empty() ? 1 : piece.shape.front();
  if (piece.first < 0 || piece.first > all - count) refuse("are outside the tensor");
}

/// As DCP writes it: {"saved_offsets": [first, 0, …]}.
Json render_offsets(const TensorRows& piece) {
  std::vector<std::int64_t> offsets(piece.shape.size(), 0);
  if (!offsets.empty()) offsets.front() = piece.first;
  return {{kSavedOffsets, offsets}};
}

}  // namespace

std::optional<torch::ScalarType> scalar_type_of(std::string_view dtype) {
  const auto* type = std::ranges::find(kTypes, dtype, &Type::name);
  if (type == kTypes.end()) return std::nullopt;
  return type->scalar;
}

FileSum save_safetensors(const std::filesystem::path& path, const NamedTensors& named) {
  return write_tensors(path, named, {{"format", "pt"}});
}

FileSum save_safetensors_shard(const std::filesystem::path& path, const std::vector<TensorRows>& pieces) {
  NamedTensors held;
  Json info = Json::object();
  for (const TensorRows& piece : pieces) {
    check_rows(piece);
    if (piece.is_empty_shard()) continue;
    held.emplace_back(piece.name, piece.rows);
    info[piece.name] = render_offsets(piece);
  }
  return write_tensors(path, held, {{kShardingInfo, info.dump()}, {"DCP_VERSION", "1.0"}, {"format", "pt"}});
}

LoadedTensors load_safetensors(const std::filesystem::path& path) {
  CheckedReader file(path);
  const Fault fault(path);
  const std::string header = read_header(file, fault);
  const std::uint64_t data_at = sizeof(std::uint64_t) + header.size();
  const auto entries = parse_safetensors_header(header, data_at);
  if (!entries) fault(entries.error());
  const auto order = order_of_bytes(*entries, data_at, file.remaining(), fault);
  LoadedTensors loaded;
  for (const TensorEntry& entry : *entries) loaded.tensors.emplace_back(entry.name, at::Tensor());
  for (const std::size_t i : order) {
    const TensorEntry& entry = (*entries)[i];
    loaded.tensors[i].second = at::empty(entry.shape, scalar_type(entry, fault));
    file.read(bytes_of(loaded.tensors[i].second));
  }
  loaded.sum = file.sum();
  return loaded;
}

}  // namespace ddp::trainer
