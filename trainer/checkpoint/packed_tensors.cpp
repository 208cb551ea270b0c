#include "trainer/checkpoint/packed_tensors.hpp"

#include <ATen/ATen.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

namespace ddp::trainer {
namespace {

using nlohmann::json;

// The tensors, each at a multiple of kPackedAlignment; a list of what they are, as JSON; the length of the
// list.
constexpr std::int64_t kPackedAlignment = 64;
using ListLength = std::int64_t;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
}

std::int64_t size_of(const torch::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

/// The tensor of this type and shape that begins at byte `begin` of `packed`.
torch::Tensor tensor_at(const torch::Tensor& packed, std::int64_t begin, at::ScalarType type,
                        const std::vector<std::int64_t>& shape) {
  const auto bytes = c10::multiply_integers(shape) * static_cast<std::int64_t>(c10::elementSize(type));
  return packed.narrow(0, begin, bytes).view(type).view(shape);
}

std::string describe(const NamedTensors& tensors) {
  json list = json::array();
  for (const auto& [name, tensor] : tensors) {
    list.push_back(
        {{"name", name}, {"type", static_cast<int>(tensor.scalar_type())}, {"shape", tensor.sizes().vec()}});
  }
  return list.dump();
}

}  // namespace

torch::Tensor pack_tensors(const NamedTensors& tensors) {
  const at::NoGradGuard no_grad;
  const std::string list = describe(tensors);
  const auto length = static_cast<ListLength>(list.size());
  std::int64_t end = 0;
  for (const auto& [name, tensor] : tensors) end += aligned(size_of(tensor));
  const auto tail = static_cast<std::int64_t>(list.size() + sizeof length);
  torch::Tensor packed = at::empty({end + tail}, at::kByte);
  std::int64_t begin = 0;
  for (const auto& [name, tensor] : tensors) {
    tensor_at(packed, begin, tensor.scalar_type(), tensor.sizes().vec()).copy_(tensor);
    begin += aligned(size_of(tensor));
  }
  auto* const bytes = packed.mutable_data_ptr<std::uint8_t>();
  std::memcpy(bytes + end, list.data(), list.size());
  std::memcpy(bytes + end + length, &length, sizeof length);
  return packed;
}

NamedTensors unpack_tensors(const torch::Tensor& packed) {
  const auto* const end = packed.const_data_ptr<std::uint8_t>() + packed.numel();
  ListLength length = 0;
  std::memcpy(&length, end - sizeof length, sizeof length);
  const auto* const list = end - sizeof length - length;
  NamedTensors tensors;
  std::int64_t begin = 0;
  for (const json& item : json::parse(list, list + length)) {
    tensors.emplace_back(item.at("name"),
                         tensor_at(packed, begin, static_cast<at::ScalarType>(item.at("type").get<int>()),
                                   item.at("shape").get<std::vector<std::int64_t>>()));
    begin += aligned(size_of(tensors.back().second));
  }
  return tensors;
}

}  // namespace ddp::trainer
