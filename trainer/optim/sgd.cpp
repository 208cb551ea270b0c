#include "trainer/optim/sgd.hpp"

#include <ATen/ATen.h>

#include <stdexcept>

namespace ddp::trainer {
namespace {

struct SgdOptions {
  double learning_rate = 0;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
};

// The order of the operations decides the last bit: it is that of torch/optim/sgd.py, one tensor at a time.
class Sgd : public Optimizer {
 public:
  Sgd(const SgdOptions& options, NamedTensors parameters)
      : Optimizer(std::move(parameters)), options_(options), momentum_(this->parameters().size()) {}

  [[nodiscard]] NamedTensors state() const override {
    NamedTensors state;
    for (std::size_t i = 0; i < momentum_.size(); ++i) {
      if (momentum_[i].defined())
        state.emplace_back(parameters()[i].first + ".momentum_buffer", momentum_[i]);
    }
    return state;
  }

 private:
  void update(std::size_t index, torch::Tensor& parameter, const torch::Tensor& gradient) override {
    torch::Tensor direction = gradient;
    if (options_.weight_decay != 0) direction = direction.add(parameter, options_.weight_decay);
    if (options_.momentum != 0) {
      const torch::Tensor& average = add_to_momentum(momentum_[index], direction);
      direction = options_.nesterov ? direction.add(average, options_.momentum) : average;
    }
    parameter.add_(direction, -options_.learning_rate);
  }

  const torch::Tensor& add_to_momentum(torch::Tensor& average, const torch::Tensor& direction) const {
    if (average.defined()) {
      average.mul_(options_.momentum).add_(direction, 1 - options_.dampening);
    } else {
      average = direction.detach().clone();
    }
    return average;
  }

  void load_part(std::size_t index, const std::string& part, const torch::Tensor& value) override {
    if (part != "momentum_buffer" || value.sizes() != parameters()[index].second.sizes()) {
      throw std::invalid_argument("sgd has no state '" + part + "' of this shape for '" +
                                  parameters()[index].first + "'");
    }
    momentum_[index] = value.to(parameters()[index].second.device(), /*non_blocking=*/false, /*copy=*/true);
  }

  SgdOptions options_;
  std::vector<torch::Tensor> momentum_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const Component& optimizer, NamedTensors parameters) {
  const SgdOptions options{
      .learning_rate = optimizer.get<double>("learning_rate"),
      .momentum = optimizer.get<double>("momentum"),
      .dampening = optimizer.get<double>("dampening"),
      .weight_decay = optimizer.get<double>("weight_decay"),
      .nesterov = optimizer.get<bool>("nesterov"),
  };
  return std::make_unique<Sgd>(options, std::move(parameters));
}

}  // namespace ddp::trainer
