#include "trainer/checkpoint/state_buffer.hpp"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace ddp::trainer {
namespace {

constexpr std::size_t kAlignment = 64;  // of each tensor: a line of the cache

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

/// Whether nothing but an update changes the tensor at this place of all_tensors().
bool changes_in_updates_alone(std::size_t place, const TrainingState& state) {
  const std::size_t model = state.model.size();
  return place < state.parameters || (place >= model && place < model + state.optimizer.size());
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

const TrainingState& StateBuffer::begin(const TrainingState& from) {
  reserve(from);
  const at::NoGradGuard no_grad;
  copy_ = from;
  left_.clear();
  const auto tensors = all_tensors(copy_);
  std::optional<at::Device> device;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const torch::Tensor source = std::exchange(*tensors[i], parts_[i]);
    const bool is_one_move = source.is_cpu() && source.is_contiguous() && source.nbytes() > 0;
    if (is_one_move && changes_in_updates_alone(i, from)) {
      left_.push_back({parts_[i], source});
    } else {
      parts_[i].copy_(source, /*non_blocking=*/source.is_cuda());
    }
    if (source.is_cuda()) device = source.device();
  }
  if (device) wait_for(*device);
  return copy_;
}

void StateBuffer::finish() {
  for (const Move& move : left_)
    std::memcpy(move.to.mutable_data_ptr(), move.from.const_data_ptr(), move.from.nbytes());
  left_.clear();
}

}  // namespace ddp::trainer
