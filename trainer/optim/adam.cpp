#include "trainer/optim/adam.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <stdexcept>

namespace ddp::trainer {
namespace {

struct AdamOptions {
  double learning_rate = 0;
  double beta1 = 0;
  double beta2 = 0;
  double eps = 0;
  double weight_decay = 0;
};

// The order of the operations, and which of them are in double, decide the last bit: they are those of
// torch/optim/adam.py, one tensor at a time.
class Adam : public Optimizer {
 public:
  Adam(const AdamOptions& options, NamedTensors parameters)
      : Optimizer(std::move(parameters)), options_(options), moments_(this->parameters().size()) {}

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
    torch::Tensor step;     // float32, of one number, as in Python
    torch::Tensor average;  // of the gradient
    torch::Tensor square;   // of its square
  };

  void update(std::size_t index, torch::Tensor& parameter, const torch::Tensor& gradient) override {
    Moments& moments = moments_[index];
    if (!moments.average.defined()) {
      moments = {at::zeros({}, at::kFloat), at::zeros_like(parameter), at::zeros_like(parameter)};
    }
    moments.step.add_(1);
    const torch::Tensor direction =
        options_.weight_decay != 0 ? gradient.add(parameter, options_.weight_decay) : gradient;
    moments.average.lerp_(direction, 1 - options_.beta1);
    moments.square.mul_(options_.beta2).addcmul_(direction, direction, 1 - options_.beta2);

    const double steps = moments.step.item<double>();
    const double correction1 = 1 - std::pow(options_.beta1, steps);
    const double correction2 = 1 - std::pow(options_.beta2, steps);
    const torch::Tensor scale = (moments.square.sqrt() / std::pow(correction2, 0.5)).add_(options_.eps);
    parameter.addcdiv_(moments.average, scale, -(options_.learning_rate / correction1));
  }

  void load_part(std::size_t index, const std::string& part, const torch::Tensor& value) override {
    const auto& [name, parameter] = parameters()[index];
    const bool is_step = part == "step";
    torch::Tensor* const target = is_step                ? &moments_[index].step
                                  : part == "exp_avg"    ? &moments_[index].average
                                  : part == "exp_avg_sq" ? &moments_[index].square
                                                         : nullptr;
    if (target == nullptr || (is_step ? value.dim() != 0 : value.sizes() != parameter.sizes())) {
      throw std::invalid_argument("adam has no state '" + part + "' of this shape for '" + name + "'");
    }
    *target =
        value.to(is_step ? at::Device(at::kCPU) : parameter.device(), at::kFloat, /*non_blocking=*/false,
                 /*copy=*/true);
  }

  AdamOptions options_;
  std::vector<Moments> moments_;
};

}  // namespace

std::unique_ptr<Optimizer> make_adam(const Component& optimizer, NamedTensors parameters) {
  const AdamOptions options{
      .learning_rate = optimizer.get<double>("learning_rate"),
      .beta1 = optimizer.get<double>("beta1"),
      .beta2 = optimizer.get<double>("beta2"),
      .eps = optimizer.get<double>("eps"),
      .weight_decay = optimizer.get<double>("weight_decay"),
  };
  return std::make_unique<Adam>(options, std::move(parameters));
}

}  // namespace ddp::trainer
