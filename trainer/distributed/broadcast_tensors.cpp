#include "trainer/distributed/broadcast_tensors.hpp"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/comm.hpp>

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {
namespace {

constexpr std::size_t kMessageBytes = std::size_t{250} << 20;

}  // namespace

void broadcast_tensors(const std::vector<torch::Tensor>& tensors, ProcessGroup& group) {
  if (tensors.empty()) return;
  const at::NoGradGuard no_grad;
  const PeerWait wait;
  c10d::broadcast_coalesced(group.c10d_group(), tensors, kMessageBytes);
}

}  // namespace ddp::trainer
