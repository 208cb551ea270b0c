#include "trainer/optim/adam.hpp"

#include <ATen/ATen.h>

#include "trainer/optim/kernels/adam_steps.hpp"

namespace ddp::trainer {
namespace {

class Adam : public Optimizer {
 public:
  Adam(const AdamOptions& options, DecayedParameters decayed, Implementation implementation,
       NamedTensors parameters)
      : Optimizer(std::move(parameters), decayed),
        options_(options),
        step_(adam_step(implementation)),
        steps_on_device_(implementation == Implementation::fused),
        moments_(this->parameters().size()) {}

  [[nodiscard]] NamedTensors state() const override {
    NamedTensors state;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      const auto& [step, average, square] = moments_[i];
      if (!average.defined()) continue;
      const std::string& name = parameters()[i].first;
      state.emplace_back(name + ".step", step);
      state.emplace_back(name + ".exp_avg", average);
      state.emplace_back(name + ".exp_avg_sq", square);
    }
    return state;
  }

 private:
  struct Moments {
    torch::Tensor step;
    torch::Tensor average;
    torch::Tensor square;
  };

  void update(std::span<const std::size_t> indices, double learning_rate, ParameterGroup group) override {
    AdamTensors tensors;
    for (const std::size_t index : indices) {
      const torch::Tensor& parameter = parameters()[index].second;
      Moments& moments = moments_[index];
      if (!moments.average.defined()) {
        moments = {at::zeros({}, step_options(parameter)), at::zeros_like(parameter),
                   at::zeros_like(parameter)};
      }
      tensors.parameters.push_back(parameter);
      tensors.gradients.push_back(parameter.grad());
      tensors.averages.push_back(moments.average);
      tensors.squares.push_back(moments.square);
      tensors.steps.push_back(moments.step);
    }
    AdamOptions options = options_;
    if (group == ParameterGroup::not_decayed) options.weight_decay = 0;
    step_(options, learning_rate, tensors);
  }

  void load_part(std::size_t index, const std::string& part, const torch::Tensor& value) override {
    const auto& [name, parameter] = parameters()[index];
    const bool is_step = part == "step";
    torch::Tensor* const target = is_step                ? &moments_[index].step
                                  : part == "exp_avg"    ? &moments_[index].average
                                  : part == "exp_avg_sq" ? &moments_[index].square
                                                         : nullptr;
    if (target == nullptr || (is_step ? value.dim() != 0 : value.sizes() != parameter.sizes())) {
      throw no_place_for(part, value, name, "adam");
    }
    *target = (is_step ? at::zeros({}, step_options(parameter)) : at::zeros_like(parameter)).copy_(value);
  }

  // Where Python has it: a kernel of the device reads it, or the host.
  [[nodiscard]] at::TensorOptions step_options(const torch::Tensor& parameter) const {
    return at::TensorOptions(at::kFloat).device(steps_on_device_ ? parameter.device() : at::Device(at::kCPU));
  }

  AdamOptions options_;
  AdamStep step_;
  bool steps_on_device_;
  std::vector<Moments> moments_;
};

std::unique_ptr<Optimizer> make(WeightDecay decay, const Component& optimizer, NamedTensors parameters) {
  const AdamOptions options{
      .beta1 = optimizer.get<double>("beta1"),
      .beta2 = optimizer.get<double>("beta2"),
      .eps = optimizer.get<double>("eps"),
      .weight_decay = optimizer.get<double>("weight_decay"),
      .decay = decay,
  };
  const Implementation implementation = implementation_of(optimizer, parameters);
  return std::make_unique<Adam>(options, decayed_by(optimizer), implementation, std::move(parameters));
}

}  // namespace

std::unique_ptr<Optimizer> make_adam(const Component& optimizer, NamedTensors parameters) {
  return make(WeightDecay::l2, optimizer, std::move(parameters));
}

std::unique_ptr<Optimizer> make_adamw(const Component& optimizer, NamedTensors parameters) {
  return make(WeightDecay::decoupled, optimizer, std::move(parameters));
}

}  // namespace ddp::trainer
