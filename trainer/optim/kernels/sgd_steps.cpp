#include "trainer/optim/kernels/sgd_steps.hpp"

#include <ATen/ATen.h>

#include <algorithm>

#include "trainer/optim/kernels/simd_kernels.hpp"
#include "trainer/optim/kernels/simd_tensors.hpp"

// The order of the operations decides the last bit: it is that of torch/optim/sgd.py.
namespace ddp::trainer {
namespace {

void add_to_momentum(const SgdOptions& options, torch::Tensor& average, const torch::Tensor& direction) {
  if (average.defined()) {
    average.mul_(options.momentum).add_(direction, 1 - options.dampening);
  } else {
    average = direction.detach().clone();
  }
}

void loop_sgd(const SgdOptions& options, double learning_rate, SgdTensors& tensors, std::size_t i) {
  torch::Tensor& parameter = tensors.parameters[i];
  torch::Tensor direction = tensors.gradients[i];
  if (options.weight_decay != 0) direction = direction.add(parameter, options.weight_decay);
  if (options.momentum != 0) {
    torch::Tensor& average = tensors.momentum[i];
    add_to_momentum(options, average, direction);
    direction = options.nesterov ? direction.add(average, options.momentum) : average;
  }
  parameter.add_(direction, -learning_rate);
}

void loop(const SgdOptions& options, double learning_rate, SgdTensors& tensors) {
  for (std::size_t i = 0; i < tensors.parameters.size(); ++i) loop_sgd(options, learning_rate, tensors, i);
}

void foreach (const SgdOptions& options, double learning_rate, SgdTensors & tensors) {
  std::vector<torch::Tensor> directions = tensors.gradients;
  if (options.weight_decay != 0) {
    directions = at::_foreach_add(directions, tensors.parameters, options.weight_decay);
  }
  if (options.momentum != 0) {
    auto& averages = tensors.momentum;
    if (std::ranges::all_of(averages, &torch::Tensor::defined)) {
      at::_foreach_mul_(averages, options.momentum);
      at::_foreach_add_(averages, directions, 1 - options.dampening);
    } else {
      for (std::size_t i = 0; i < averages.size(); ++i) add_to_momentum(options, averages[i], directions[i]);
    }
    directions = options.nesterov ? at::_foreach_add(directions, averages, options.momentum) : averages;
  }
  at::_foreach_add_(tensors.parameters, directions, -learning_rate);
}

enum class MomentumBuffers { to_fill, filled };

void run_fused(const SgdOptions& options, double learning_rate, const SgdTensors& tensors,
               MomentumBuffers buffers) {
  if (tensors.parameters.empty()) return;
  at::_fused_sgd_(tensors.parameters, tensors.gradients, tensors.momentum, options.weight_decay,
                  options.momentum, learning_rate, options.dampening, options.nesterov, /*maximize=*/false,
                  /*is_first_step=*/buffers == MomentumBuffers::to_fill);
}

void fused(const SgdOptions& options, double learning_rate, SgdTensors& tensors) {
  if (options.momentum == 0) return run_fused(options, learning_rate, tensors, MomentumBuffers::filled);
  SgdTensors first;
  SgdTensors later;
  for (std::size_t i = 0; i < tensors.parameters.size(); ++i) {
    torch::Tensor& buffer = tensors.momentum[i];
    SgdTensors& group = buffer.defined() ? later : first;
    if (!buffer.defined()) buffer = at::empty_like(tensors.gradients[i]);
    group.parameters.push_back(tensors.parameters[i]);
    group.gradients.push_back(tensors.gradients[i]);
    group.momentum.push_back(buffer);
  }
  run_fused(options, learning_rate, first, MomentumBuffers::to_fill);
  run_fused(options, learning_rate, later, MomentumBuffers::filled);
}

void simd_sgd(const SgdOptions& options, double learning_rate, SgdTensors& tensors, std::size_t i) {
  torch::Tensor& parameter = tensors.parameters[i];
  const simd::SgdUpdate update{.l2 = static_cast<float>(options.weight_decay),
                               .step_size = static_cast<float>(-learning_rate)};
  const auto* gradient = tensors.gradients[i].const_data_ptr<float>();
  if (options.momentum == 0) {
    simd::sgd_update(update, parameter.numel(), gradient, parameter.data_ptr<float>());
    return;
  }
  const simd::SgdMomentum momentum{
      .momentum = static_cast<float>(options.momentum),
      .gradient_weight = static_cast<float>(1 - options.dampening),
      .kind = options.nesterov ? simd::Momentum::nesterov : simd::Momentum::classic};
  simd::sgd_momentum_update(update, momentum, parameter.numel(), gradient,
                            tensors.momentum[i].data_ptr<float>(), parameter.data_ptr<float>());
}

bool serves(const SgdOptions& options, const SgdTensors& tensors, std::size_t i) {
  if (options.momentum == 0) return simd_serves({tensors.parameters[i], tensors.gradients[i]});
  return tensors.momentum[i].defined() &&
         simd_serves({tensors.parameters[i], tensors.gradients[i], tensors.momentum[i]});
}

void with_simd(const SgdOptions& options, double learning_rate, SgdTensors& tensors) {
  for (std::size_t i = 0; i < tensors.parameters.size(); ++i) {
    (serves(options, tensors, i) ? simd_sgd : loop_sgd)(options, learning_rate, tensors, i);
  }
}

}  // namespace

SgdStep sgd_step(Implementation implementation) {
  switch (implementation) {
    case Implementation::loop:
      return loop;
    case Implementation::foreach:
      return foreach;
    case Implementation::fused:
      return fused;
    case Implementation::simd:
      return with_simd;
  }
  return loop;
}

}  // namespace ddp::trainer
