#include "trainer/optim/clip_grad_norm.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {

torch::Tensor clip_grad_norm(const std::vector<torch::Tensor>& gradients, double max_norm) {
  const at::NoGradGuard no_grad;
  if (gradients.empty()) return at::zeros({});
  const torch::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2);
  // A number divided by a tensor is the product with its reciprocal, in Python.
  const torch::Tensor factor = (norm + 1e-6).reciprocal().mul(max_norm).clamp_max(1.0);
  at::_foreach_mul_(gradients, factor);
  return norm;
}

}  // namespace ddp::trainer
