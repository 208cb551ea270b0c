#include "trainer/distributed/gradient_accumulators.hpp"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace ddp::trainer {

GradientAccumulators::GradientAccumulators(std::vector<torch::Tensor> parameters)
    : parameters_(std::move(parameters)) {
  for (const auto& parameter : parameters_)
    nodes_.push_back(torch::autograd::impl::grad_accumulator(parameter));
}

std::optional<std::size_t> GradientAccumulators::find_replaced() const {
  for (std::size_t index = 0; index < nodes_.size(); ++index) {
    if (torch::autograd::impl::try_get_grad_accumulator(parameters_[index]) != nodes_[index]) return index;
  }
  return std::nullopt;
}

}  // namespace ddp::trainer
