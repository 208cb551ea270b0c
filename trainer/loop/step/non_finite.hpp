#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "trainer/loop/step/train_step.hpp"

namespace ddp::trainer {

/// NaN or infinity has come into the training; nothing after it means anything.
struct NonFinite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws NonFinite when a loss of `passes` is not finite, naming the first tensor that is not: inputs of the
/// batch, then a parameter or buffer by its name, then the model's output. `step` is the step that the passes
/// belong to. Waits for the device.
void check_finite(std::span<const PassResult> passes, std::span<const MicroBatch> micro_batches,
                  const Model& model, std::int64_t step);

/// Throws NonFinite, naming the first, when a parameter of `model` is not finite after `step`. Reads each
/// once, and waits for the device.
void check_finite_parameters(const Model& model, std::int64_t step);

/// Throws NonFinite when `mean_loss`, of an evaluation of `model` after `step`, is not finite, naming the
/// first parameter or buffer that is not. Waits for the device.
void check_finite_evaluation(double mean_loss, const Model& model, std::int64_t step);

}  // namespace ddp::trainer
