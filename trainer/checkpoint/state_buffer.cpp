#include "trainer/checkpoint/state_buffer.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace ddp::trainer {
namespace {

constexpr std::size_t kAlignment = 64;                  // of each tensor: a line of the cache
constexpr std::int64_t kGrain = std::int64_t{1} << 20;  // bytes below which a thread more does not pay

/// Every tensor of `state`, in an order that depends on its layout alone.
std::vector<torch::Tensor*> all_tensors(TrainingState& state) {
  std::vector<torch::Tensor*> tensors;
  for (auto* named : {&state.model, &state.optimizer, &state.extra})
    for (auto& [name, tensor] : *named) tensors.push_back(&tensor);
  for (auto& tensor : state.rng) tensors.push_back(&tensor);
  return tensors;
}

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool same_layout(const torch::Tensor& a, const torch::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes();
}

/// A copy that is one move of memory.
struct Move {
  std::int64_t begin;  // in the buffer
  std::int64_t size;
  std::byte* to;
  const std::byte* from;
};

/// The range [begin, end) of the buffer.
void move_range(const std::vector<Move>& moves, std::int64_t begin, std::int64_t end) {
  for (const Move& move : moves) {
    const std::int64_t first = std::max(begin, move.begin);
    const std::int64_t last = std::min(end, move.begin + move.size);
    if (first >= last) continue;
    std::memcpy(move.to + (first - move.begin), move.from + (first - move.begin),
                static_cast<std::size_t>(last - first));
  }
}

void wait_for(const at::Device& device) {
  c10::impl::VirtualGuardImpl(device.type()).getStream(device).synchronize();
}

}  // namespace

StateBuffer::Memory StateBuffer::reserve(const TrainingState& like) {
  TrainingState shape = like;
  const auto tensors = all_tensors(shape);
  if (std::ranges::equal(tensors, parts_, [](const auto* a, const auto& b) { return same_layout(*a, b); }))
    return Memory::held;
  std::size_t size = 0;
  for (const auto* tensor : tensors) size += aligned(tensor->nbytes());
  const bool pinned = std::ranges::any_of(tensors, [](const auto* tensor) { return tensor->is_cuda(); });
  parts_.clear();
  memory_ = torch::Tensor();  // the old memory goes before the new comes
  memory_ = at::empty({static_cast<std::int64_t>(size)},
                      at::TensorOptions().dtype(at::kByte).pinned_memory(pinned));
  auto* at = static_cast<std::byte*>(memory_.data_ptr());
  for (const auto* tensor : tensors) {
    parts_.push_back(at::from_blob(at, tensor->sizes(), tensor->scalar_type()));
    at += aligned(tensor->nbytes());
  }
  return Memory::taken;
}

void StateBuffer::touch() {
  if (memory_.defined()) std::memset(memory_.data_ptr(), 0, memory_.nbytes());
}

const TrainingState& StateBuffer::copy(const TrainingState& from) {
  reserve(from);
  const at::NoGradGuard no_grad;
  copy_ = from;
  const auto tensors = all_tensors(copy_);
  std::vector<Move> moves;
  std::optional<at::Device> device;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const torch::Tensor source = *tensors[i];
    *tensors[i] = parts_[i];
    auto* to = static_cast<std::byte*>(parts_[i].data_ptr());
    if (source.is_cpu() && source.is_contiguous()) {
      moves.push_back({to - static_cast<std::byte*>(memory_.data_ptr()),
                       static_cast<std::int64_t>(source.nbytes()), to,
                       static_cast<const std::byte*>(source.const_data_ptr())});
    } else {
      parts_[i].copy_(source, /*non_blocking=*/source.is_cuda());
    }
    if (source.is_cuda()) device = source.device();
  }
  at::parallel_for(0, static_cast<std::int64_t>(memory_.nbytes()), kGrain,
                   [&](std::int64_t begin, std::int64_t end) { move_range(moves, begin, end); });
  if (device) wait_for(*device);
  return copy_;
}

}  // namespace ddp::trainer
