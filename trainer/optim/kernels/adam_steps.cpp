#include "trainer/optim/kernels/adam_steps.hpp"

#include <ATen/ATen.h>

#include <cmath>

#include "trainer/optim/kernels/simd_kernels.hpp"
#include "trainer/optim/kernels/simd_tensors.hpp"

// The order of the operations, and which of them are in double, decide the last bit: they are those of
// torch/optim/adam.py.
namespace ddp::trainer {
namespace {

/// The numbers of one step of one parameter.
struct Correction {
  double step_size = 0;
  double root2 = 0;

  Correction(const AdamOptions& options, double learning_rate, const torch::Tensor& step) {
    const double steps = step.item<double>();
    step_size = learning_rate / (1 - std::pow(options.beta1, steps));
    root2 = std::pow(1 - std::pow(options.beta2, steps), 0.5);
  }
};

double kept_by_decay(const AdamOptions& options, double learning_rate) {
  return options.decay == WeightDecay::decoupled ? 1 - learning_rate * options.weight_decay : 1;
}

double l2_of(const AdamOptions& options) {
  return options.decay == WeightDecay::l2 ? options.weight_decay : 0;
}

void loop_adam(const AdamOptions& options, double learning_rate, AdamTensors& tensors, std::size_t i) {
  torch::Tensor& parameter = tensors.parameters[i];
  torch::Tensor& average = tensors.averages[i];
  torch::Tensor& square = tensors.squares[i];
  if (const double kept = kept_by_decay(options, learning_rate); kept != 1) parameter.mul_(kept);
  const double l2 = l2_of(options);
  const torch::Tensor direction = l2 != 0 ? tensors.gradients[i].add(parameter, l2) : tensors.gradients[i];
  average.lerp_(direction, 1 - options.beta1);
  square.mul_(options.beta2).addcmul_(direction, direction, 1 - options.beta2);
  const Correction correction(options, learning_rate, tensors.steps[i]);
  const torch::Tensor scale = (square.sqrt() / correction.root2).add_(options.eps);
  parameter.addcdiv_(average, scale, -correction.step_size);
}

void loop(const AdamOptions& options, double learning_rate, AdamTensors& tensors) {
  for (std::size_t i = 0; i < tensors.parameters.size(); ++i) {
    tensors.steps[i].add_(1);
    loop_adam(options, learning_rate, tensors, i);
  }
}

void foreach (const AdamOptions& options, double learning_rate, AdamTensors & tensors) {
  at::_foreach_add_(tensors.steps, 1);
  const double kept = kept_by_decay(options, learning_rate);
  if (kept != 1) at::_foreach_mul_(tensors.parameters, kept);
  if (const double l2 = l2_of(options); l2 != 0) {
    tensors.gradients = at::_foreach_add(tensors.gradients, tensors.parameters, l2);
  }
  at::_foreach_lerp_(tensors.averages, tensors.gradients, 1 - options.beta1);
  at::_foreach_mul_(tensors.squares, options.beta2);
  at::_foreach_addcmul_(tensors.squares, tensors.gradients, tensors.gradients, 1 - options.beta2);
  std::vector<at::Scalar> step_sizes;
  std::vector<at::Scalar> roots2;
  for (const torch::Tensor& step : tensors.steps) {
    const Correction correction(options, learning_rate, step);
    step_sizes.emplace_back(-correction.step_size);
    roots2.emplace_back(correction.root2);
  }
  const auto scales = at::_foreach_sqrt(tensors.squares);
  at::_foreach_div_(scales, roots2);
  at::_foreach_add_(scales, options.eps);
  at::_foreach_addcdiv_(tensors.parameters, tensors.averages, scales, step_sizes);
}

void fused(const AdamOptions& options, double learning_rate, AdamTensors& tensors) {
  at::_foreach_add_(tensors.steps, 1);
  const auto kernel = [&](auto run) {
    run(tensors.parameters, tensors.gradients, tensors.averages, tensors.squares, at::TensorList(),
        tensors.steps, learning_rate, options.beta1, options.beta2, options.weight_decay, options.eps,
        /*amsgrad=*/false, /*maximize=*/false, std::nullopt, std::nullopt);
  };
  if (options.decay == WeightDecay::decoupled) {
    kernel([](auto&&... arguments) { at::_fused_adamw_(arguments...); });
  } else {
    kernel([](auto&&... arguments) { at::_fused_adam_(arguments...); });
  }
}

// ATen's square root is that of a library, which does not round like the processor's: it is left to ATen.
void simd_adam(const AdamOptions& options, double learning_rate, AdamTensors& tensors, std::size_t i) {
  torch::Tensor& parameter = tensors.parameters[i];
  torch::Tensor& square = tensors.squares[i];
  float* const average = tensors.averages[i].data_ptr<float>();
  const std::int64_t count = parameter.numel();
  simd::adam_moments({.l2 = static_cast<float>(l2_of(options)),
                      .lerp_weight = static_cast<float>(1 - options.beta1),
                      .beta2 = static_cast<float>(options.beta2),
                      .square_weight = static_cast<float>(1 - options.beta2)},
                     count, parameter.const_data_ptr<float>(), tensors.gradients[i].const_data_ptr<float>(),
                     average, square.data_ptr<float>());
  const torch::Tensor root = square.sqrt();
  const Correction correction(options, learning_rate, tensors.steps[i]);
  simd::adam_update({.keep = static_cast<float>(kept_by_decay(options, learning_rate)),
                     .correction2 = static_cast<float>(correction.root2),
                     .eps = static_cast<float>(options.eps),
                     .step_size = static_cast<float>(-correction.step_size)},
                    count, average, root.const_data_ptr<float>(), parameter.data_ptr<float>());
}

void with_simd(const AdamOptions& options, double learning_rate, AdamTensors& tensors) {
  for (std::size_t i = 0; i < tensors.parameters.size(); ++i) {
    *tensors.steps[i].data_ptr<float>() += 1;
    const bool serves =
        simd_serves({tensors.parameters[i], tensors.gradients[i], tensors.averages[i], tensors.squares[i]});
    (serves ? simd_adam : loop_adam)(options, learning_rate, tensors, i);
  }
}

}  // namespace

AdamStep adam_step(Implementation implementation) {
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
