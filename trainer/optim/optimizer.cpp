#include "trainer/optim/optimizer.hpp"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <stdexcept>
#include <vector>

namespace ddp::trainer {

void Optimizer::step(double learning_rate) {
  const at::NoGradGuard no_grad;
  for (const ParameterGroup group : {ParameterGroup::decayed, ParameterGroup::not_decayed}) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const torch::Tensor& parameter = parameters_[i].second;
      if (parameter.grad().defined() && group_of(parameter) == group) indices.push_back(i);
    }
    if (!indices.empty()) update(indices, learning_rate, group);
  }
}

ParameterGroup Optimizer::group_of(const torch::Tensor& parameter) const {
  return decayed_ == DecayedParameters::all || parameter.dim() >= 2 ? ParameterGroup::decayed
                                                                    : ParameterGroup::not_decayed;
}

std::vector<torch::Tensor> Optimizer::gradients() const {
  std::vector<torch::Tensor> gradients;
  for (const auto& [name, parameter] : parameters_) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return gradients;
}

void Optimizer::zero_grad() {
  for (auto& [name, parameter] : parameters_) parameter.mutable_grad().reset();
}

Optimizer::Part Optimizer::find_part(const std::string& name) const {
  const auto dot = name.rfind('.');
  std::size_t index = 0;
  while (index < parameters_.size() && parameters_[index].first != name.substr(0, dot)) ++index;
  if (dot == std::string::npos || index == parameters_.size())
    throw std::invalid_argument("optimizer state '" + name + "' belongs to no parameter of this model");
  return {index, name.substr(dot + 1)};
}

void Optimizer::load_state(const NamedTensors& state) {
  for (const auto& [name, value] : state) {
    const Part part = find_part(name);
    load_part(part.index, part.name, value);
  }
}

void Optimizer::read_state(const TensorFiles& state) {
  for (const StoredTensor& value : state.tensors()) {
    const Part part = find_part(value.name);
    read_part(part.index, part.name, value, state);
  }
}

void Optimizer::read_part(std::size_t index, const std::string& part, const StoredTensor& value,
                          const TensorFiles& files) {
  load_part(index, part, files.read(value.name));
}

std::invalid_argument Optimizer::no_place_for(const std::string& part, const torch::Tensor& value,
                                              const std::string& parameter, const char* optimizer) {
  return std::invalid_argument(c10::str("the checkpoint has '", part, "' ", value.sizes(), " for '",
                                        parameter, "', which ", optimizer,
                                        " does not have: the checkpoint is of another optimizer or model"));
}

Implementation implementation_of(const Component& optimizer, const NamedTensors& parameters) {
  const at::Device device = parameters.empty() ? at::Device(at::kCPU) : parameters.front().second.device();
  return resolve_implementation(optimizer.get<std::string>("implementation"), device);
}

DecayedParameters decayed_by(const Component& optimizer) {
  return optimizer.get<std::string>("decay") == "matrices" ? DecayedParameters::matrices
                                                           : DecayedParameters::all;
}

}  // namespace ddp::trainer
