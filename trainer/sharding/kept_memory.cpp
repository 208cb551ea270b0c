#include "trainer/sharding/kept_memory.hpp"

#include <ATen/ops/empty.h>

#include <utility>

namespace ddp::trainer {
namespace {

// As LibTorch's allocator on the CPU: kernels may round by the alignment.
constexpr std::int64_t kTensorAlignment = 64;

// Memory that is larger by more is left for a larger block.
constexpr std::int64_t kWaste = 2;

}  // namespace

torch::Tensor KeptMemory::take(std::int64_t bytes) {
  auto best = free_.end();
  for (auto memory = free_.begin(); memory != free_.end(); ++memory) {
    const bool fits = memory->numel() >= bytes && memory->numel() / kWaste <= bytes;
    if (fits && (best == free_.end() || memory->numel() < best->numel())) best = memory;
  }
  if (best == free_.end()) return at::empty({bytes}, at::kByte);
  torch::Tensor memory = std::move(*best);
  free_.erase(best);
  return memory;
}

void KeptMemory::give_back(torch::Tensor& memory) {
  if (memory.defined()) free_.push_back(std::exchange(memory, torch::Tensor()));
}

torch::Tensor view_as(const torch::Tensor& memory, std::int64_t begin, std::int64_t elements,
                      at::ScalarType type) {
  const auto bytes = elements * static_cast<std::int64_t>(c10::elementSize(type));
  return memory.narrow(0, begin, bytes).view(type);
}

std::int64_t aligned_bytes(std::int64_t elements, at::ScalarType type) {
  const auto bytes = elements * static_cast<std::int64_t>(c10::elementSize(type));
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

}  // namespace ddp::trainer
