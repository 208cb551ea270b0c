#include "trainer/optim/clip_grad_norm.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {
namespace {

void scale_down(const std::vector<torch::Tensor>& gradients, const torch::Tensor& norm, double max_norm) {
  // A number divided by a tensor is the product with its reciprocal, in Python.
  const torch::Tensor factor = (norm + 1e-6).reciprocal().mul(max_norm).clamp_max(1.0);
  at::_foreach_mul_(gradients, factor);
}

}  // namespace

torch::Tensor clip_grad_norm(const std::vector<torch::Tensor>& gradients, double max_norm) {
  const at::NoGradGuard no_grad;
  if (gradients.empty()) return at::zeros({});
  torch::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2);
  scale_down(gradients, norm, max_norm);
  return norm;
}

// Not the norms of ranks are added up but those of gradients, each by its squares: the last bits differ.
torch::Tensor clip_sharded_grad_norm(const std::vector<torch::Tensor>& gradients, double max_norm,
                                     ProcessGroup& shards) {
  const at::NoGradGuard no_grad;
  if (gradients.empty()) return at::zeros({});
  torch::Tensor squares = at::stack(at::_foreach_norm(gradients, 2)).pow(2.0);
  shards.all_reduce(squares);
  torch::Tensor norm = at::linalg_vector_norm(squares.pow(0.5), 2);
  scale_down(gradients, norm, max_norm);
  return norm;
}

}  // namespace ddp::trainer
