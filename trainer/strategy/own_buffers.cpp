#include "trainer/strategy/own_buffers.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace ddp::trainer {

void OwnBuffers::keep(const Model& model) {
  if (!kept_.empty()) return;
  for (const auto& buffer : model.buffers()) kept_.push_back(buffer.clone());
}

void OwnBuffers::give_back(const Model& model) {
  if (kept_.empty()) return;
  const at::NoGradGuard no_grad;
  const auto buffers = model.buffers();
  for (std::size_t i = 0; i < kept_.size(); ++i) torch::Tensor(buffers[i]).copy_(kept_[i]);
  kept_.clear();
}

}  // namespace ddp::trainer
