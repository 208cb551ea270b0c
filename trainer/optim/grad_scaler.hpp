#pragma once

#include <torch/types.h>

#include <vector>

#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

struct GradScalerOptions {
  double init_scale = 65'536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
};

/// Keeps the gradients of float16 passes within its range, as torch.amp.GradScaler: losses are multiplied by
/// a scale, gradients divided by it before the update; a step whose gradients are not all finite is left out
/// and the scale shrinks, after `growth_interval` good steps it grows.
class GradScaler {
 public:
  explicit GradScaler(const at::Device& device, const GradScalerOptions& options = {});

  /// `loss` times the scale, on the device of `loss`.
  [[nodiscard]] torch::Tensor scale(const torch::Tensor& loss) const;

  /// Divides `gradients` by the scale in place. Returns one float32 number: 1 if one of them is not finite,
  /// else 0.
  [[nodiscard]] torch::Tensor unscale(const std::vector<torch::Tensor>& gradients) const;

  /// The scale of the next step. `found_inf` is what unscale() gave, the same number on all ranks.
  void update(const torch::Tensor& found_inf);

  /// For a checkpoint; the tensors are shared.
  [[nodiscard]] NamedTensors state() const;
  /// Takes copies of what state() gave; other names are passed over.
  void load_state(const NamedTensors& state);

 private:
  GradScalerOptions options_;
  torch::Tensor scale_;
  torch::Tensor growth_tracker_;  // good steps since the scale has changed
};

}  // namespace ddp::trainer
