#include "trainer/optim/optimizer.hpp"

#include <ATen/ATen.h>

#include <stdexcept>

namespace ddp::trainer {

void Optimizer::step() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    auto& parameter = parameters_[i].second;
    if (const auto& gradient = parameter.grad(); gradient.defined()) update(i, parameter, gradient);
  }
}

void Optimizer::zero_grad() {
  for (auto& [name, parameter] : parameters_) parameter.mutable_grad().reset();
}

void Optimizer::load_state(const NamedTensors& state) {
  for (const auto& [name, value] : state) {
    const auto dot = name.rfind('.');
    std::size_t index = 0;
    while (index < parameters_.size() && parameters_[index].first != name.substr(0, dot)) ++index;
    if (dot == std::string::npos || index == parameters_.size()) {
      throw std::invalid_argument("optimizer state '" + name + "' belongs to no parameter of this model");
    }
    load_part(index, name.substr(dot + 1), value);
  }
}

}  // namespace ddp::trainer
