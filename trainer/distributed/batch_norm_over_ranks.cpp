#include "trainer/distributed/batch_norm_over_ranks.hpp"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace ddp::trainer {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Of each channel; float64.
struct Moments {
  Tensor mean;
  Tensor variance;  ///< biased
  Tensor count;     ///< values of a channel, [1]
};

Moments moments_of(const Tensor& input) {
  const std::int64_t channels = input.size(1);
  const auto options = input.options().dtype(at::toOpMathType(input.scalar_type()));
  Tensor unused = at::zeros({2, channels}, options);  // of their type are the results
  const auto [mean, variance] = at::batch_norm_update_stats(input, unused[0], unused[1], /*momentum=*/0);
  return {mean.to(at::kDouble), variance.to(at::kDouble),
          at::full({1}, input.numel() / channels, options.dtype(at::kDouble))};
}

// The sum of squared distances from the common mean is made of those from the means of the ranks: a sum of
// squares would lose the variance of channels that are far from 0.
Moments combine(const Moments& mine, ProcessGroup& group) {
  const std::int64_t channels = mine.mean.numel();
  const Tensor all = at::stack(group.all_gather(at::cat({mine.mean, mine.variance, mine.count})));
  const Tensor means = all.narrow(1, 0, channels);
  const Tensor variances = all.narrow(1, channels, channels);
  const Tensor counts = all.narrow(1, 2 * channels, 1);
  const Tensor count = counts.sum(0);
  const Tensor mean = (means * counts).sum(0) / count;
  const Tensor variance = ((variances + (means - mean).square()) * counts).sum(0) / count;
  return {mean, variance, count};
}

void follow(Tensor running, const Tensor& value, double momentum) {
  if (running.defined()) running.copy_(running.to(at::kDouble) * (1 - momentum) + value * momentum);
}

// weight * (input - mean) / sqrt(variance + eps) + bias, in one pass.
Tensor normalise(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                 const Tensor& variance, double eps) {
  return std::get<0>(at::native_batch_norm(input, weight, bias, mean, variance, /*training=*/false,
                                           /*momentum=*/0, eps));
}

// LibTorch has these layers for CUDA only, as kernels that Python puts together. This one is made of
// operations that every device has.
class BatchNormOverRanks : public torch::autograd::Function<BatchNormOverRanks> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                        const Tensor& bias, const BatchNormParts& parts, ProcessGroup* group) {
    const Moments moments = combine(moments_of(input), *group);
    follow(parts.running_mean, moments.mean, parts.momentum);
    follow(parts.running_var, moments.variance * moments.count / (moments.count - 1), parts.momentum);
    const Tensor mean = moments.mean.to(weight.scalar_type());
    const Tensor variance = moments.variance.to(weight.scalar_type());
    context->save_for_backward({input, weight, mean, variance, moments.count});
    context->saved_data["eps"] = parts.eps;
    context->saved_data["group"] = reinterpret_cast<std::int64_t>(group);
    return normalise(input, weight, bias, mean, variance, parts.eps);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &input = saved[0], &weight = saved[1], &mean = saved[2], &variance = saved[3];
    const double eps = context->saved_data["eps"].toDouble();
    const bool needs_input = context->needs_input_grad(0);
    // As if mean and variance were constants. The kernels of CUDA for channels_last want tensors that are
    // empty where nothing was saved.
    const Tensor none = at::empty({0}, mean.options());
    auto [of_input, of_weight, of_bias] =
        at::native_batch_norm_backward(gradients[0], input, weight, mean, variance, none, none,
                                       /*train=*/false, eps, {needs_input, true, true});
    if (needs_input) {
      // What the losses of all ranks say to the mean and the variance, through which every sample passes.
      Tensor sums = at::stack({of_bias, of_weight}).to(at::kDouble);
      reinterpret_cast<ProcessGroup*>(context->saved_data["group"].toInt())->all_reduce(sums);
      const Tensor scale = -weight.to(at::kDouble) / (variance.to(at::kDouble) + eps).sqrt();
      const Tensor shares = (sums / saved[4] * scale).to(weight.scalar_type());
      of_input.add_(normalise(input, shares[1], shares[0], mean, variance, eps));
    }
    return {of_input, of_weight, of_bias, Tensor(), Tensor()};
  }
};

}  // namespace

Tensor batch_norm_over_ranks(const Tensor& input, const BatchNormParts& parts, ProcessGroup& group) {
  // The type that LibTorch's own layers compute in; with autocast the parameters have it already.
  const auto options = input.options().dtype(at::toOpMathType(input.scalar_type()));
  const auto or_filled = [&](const Tensor& tensor, double value) {
    return tensor.defined() ? tensor.to(options) : at::full({input.size(1)}, value, options);
  };
  return BatchNormOverRanks::apply(input, or_filled(parts.weight, 1), or_filled(parts.bias, 0), parts,
                                   &group);
}

}  // namespace ddp::trainer
