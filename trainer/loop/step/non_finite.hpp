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
/// belong to. Waits for the device. Where ranks hold shares of the parameters, this one looks at its own.
void check_finite(std::span<const PassResult> passes, std::span<const MicroBatch> micro_batches,
                  const Strategy& strategy, std::int64_t step);

/// Throws NonFinite, naming the first, when a parameter is not finite after `step`. Reads each once, and
/// waits for the device. A collective where ranks hold shares: then it throws on all of them.
void check_finite_parameters(const Strategy& strategy, std::int64_t step, ProcessGroup& group);

/// Throws NonFinite when `mean_loss`, of an evaluation after `step`, is not finite, naming the first
/// parameter or buffer that is not. Waits for the device. Like the function before, a collective; `mean_loss`
/// is the same on all ranks.
void check_finite_evaluation(double mean_loss, const Strategy& strategy, std::int64_t step,
                             ProcessGroup& group);

}  // namespace ddp::trainer
