#include "trainer/sharding/kept_memory.hpp"

#include <ATen/ops/empty.h>

#include <utility>

#include "trainer/sharding/side_streams.hpp"

namespace ddp::trainer {
namespace {

// As LibTorch's allocators: kernels may round by the alignment, or be chosen by it.
constexpr std::int64_t kCpuAlignment = 64;
constexpr std::int64_t kCudaAlignment = 512;

// Memory that is larger by more is left for a larger block.
constexpr std::int64_t kWaste = 2;

}  // namespace

torch::Tensor KeptMemory::take(std::int64_t bytes) {
  auto best = free_.end();
  for (auto memory = free_.begin(); memory != free_.end(); ++memory) {
    const std::int64_t size = memory->memory.numel();
    const bool fits = size >= bytes && size / kWaste <= bytes;
    if (fits && (best == free_.end() || size < best->memory.numel())) best = memory;
  }
  if (best == free_.end()) return at::empty({bytes}, at::TensorOptions(device_).dtype(at::kByte));
  torch::Tensor memory = std::move(best->memory);
  if (best->last_use) best->last_use->block(current_stream(device_));
  free_.erase(best);
  return memory;
}

void KeptMemory::give_back(torch::Tensor& memory) {
  if (!memory.defined()) return;
  Free freed{std::exchange(memory, torch::Tensor()), std::nullopt};
  if (!device_.is_cpu()) {
    freed.last_use.emplace(device_.type());
    freed.last_use->record(current_stream(device_));
  }
  free_.push_back(std::move(freed));
}

torch::Tensor view_as(const torch::Tensor& memory, std::int64_t begin, std::int64_t elements,
                      at::ScalarType type) {
  const auto bytes = elements * static_cast<std::int64_t>(c10::elementSize(type));
  return memory.narrow(0, begin, bytes).view(type);
}

std::int64_t aligned_bytes(std::int64_t elements, at::ScalarType type, at::Device device) {
  const auto bytes = elements * static_cast<std::int64_t>(c10::elementSize(type));
  const std::int64_t alignment = device.is_cpu() ? kCpuAlignment : kCudaAlignment;
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace ddp::trainer
