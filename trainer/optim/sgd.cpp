#include "trainer/optim/sgd.hpp"

#include <ATen/ATen.h>

#include "trainer/optim/kernels/sgd_steps.hpp"

namespace ddp::trainer {
namespace {

class Sgd : public Optimizer {
 public:
  Sgd(const SgdOptions& options, DecayedParameters decayed, Implementation implementation,
      NamedTensors parameters)
      : Optimizer(std::move(parameters), decayed),
        options_(options),
        step_(sgd_step(implementation)),
        momentum_(this->parameters().size()) {}

  [[nodiscard]] NamedTensors state() const override {
    NamedTensors state;
    for (std::size_t i = 0; i < momentum_.size(); ++i) {
      if (momentum_[i].defined())
        state.emplace_back(parameters()[i].first + ".momentum_buffer", momentum_[i]);
    }
    return state;
  }

 private:
  void update(std::span<const std::size_t> indices, double learning_rate, ParameterGroup group) override {
    SgdTensors tensors;
    for (const std::size_t index : indices) {
      const torch::Tensor& parameter = parameters()[index].second;
      tensors.parameters.push_back(parameter);
      tensors.gradients.push_back(parameter.grad());
      if (options_.momentum != 0) tensors.momentum.push_back(momentum_[index]);
    }
    SgdOptions options = options_;
    if (group == ParameterGroup::not_decayed) options.weight_decay = 0;
    step_(options, learning_rate, tensors);
    for (std::size_t i = 0; i < tensors.momentum.size(); ++i) momentum_[indices[i]] = tensors.momentum[i];
  }

  void load_part(std::size_t index, const std::string& part, const torch::Tensor& value) override {
    const auto& [name, parameter] = parameters()[index];
    if (part != "momentum_buffer" || value.sizes() != parameter.sizes()) {
      throw no_place_for(part, value, name, "sgd");
    }
    momentum_[index] = at::empty_like(parameter).copy_(value);
  }

  SgdOptions options_;
  SgdStep step_;
  std::vector<torch::Tensor> momentum_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const Component& optimizer, NamedTensors parameters) {
  const SgdOptions options{
      .momentum = optimizer.get<double>("momentum"),
      .dampening = optimizer.get<double>("dampening"),
      .weight_decay = optimizer.get<double>("weight_decay"),
      .nesterov = optimizer.get<bool>("nesterov"),
  };
  const Implementation implementation = implementation_of(optimizer, parameters);
  return std::make_unique<Sgd>(options, decayed_by(optimizer), implementation, std::move(parameters));
}

}  // namespace ddp::trainer
