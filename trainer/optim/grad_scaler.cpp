#include "trainer/optim/grad_scaler.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {
namespace {

constexpr const char* kScale = "grad_scaler.scale";
constexpr const char* kGrowthTracker = "grad_scaler.growth_tracker";

}  // namespace

GradScaler::GradScaler(const at::Device& device, const GradScalerOptions& options)
    : options_(options),
      scale_(at::full({}, options.init_scale, at::TensorOptions(at::kFloat).device(device))),
      growth_tracker_(at::zeros({}, at::TensorOptions(at::kInt).device(device))) {}

torch::Tensor GradScaler::scale(const torch::Tensor& loss) const {
  return loss * scale_.to(loss.device(), /*non_blocking=*/true);
}

torch::Tensor GradScaler::unscale(const std::vector<torch::Tensor>& gradients) const {
  const at::NoGradGuard no_grad;
  torch::Tensor found_inf = at::zeros({}, scale_.options());
  const torch::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  if (!gradients.empty()) {
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf, inverse);
  }
  return found_inf;
}

void GradScaler::update(const torch::Tensor& found_inf) {
  const at::NoGradGuard no_grad;
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf, options_.growth_factor, options_.backoff_factor,
                         options_.growth_interval);
}

NamedTensors GradScaler::state() const {
  return {{kScale, scale_}, {kGrowthTracker, growth_tracker_}};
}

void GradScaler::load_state(const NamedTensors& state) {
  for (const auto& [name, value] : state) {
    if (name == kScale) scale_.copy_(value);
    if (name == kGrowthTracker) growth_tracker_.copy_(value);
  }
}

}  // namespace ddp::trainer
