#include "trainer/loop/non_finite.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <optional>
#include <string>

namespace ddp::trainer {
namespace {

bool is_finite(const torch::Tensor& tensor) {
  return !tensor.is_floating_point() || tensor.isfinite().all().item<bool>();
}

template <class Named>
std::optional<std::string> first_of(const Named& tensors, const char* kind) {
  for (const auto& item : tensors) {
    if (!is_finite(item.value())) return std::string(kind) + " '" + item.key() + "' is not finite";
  }
  return std::nullopt;
}

bool has_bad_input(std::span<const MicroBatch> micro_batches) {
  for (const MicroBatch& micro_batch : micro_batches) {
    for (const Batch& batch : micro_batch) {
      if (!is_finite(batch.inputs)) return true;
    }
  }
  return false;
}

std::string first_cause(std::span<const PassResult> passes, std::span<const MicroBatch> micro_batches,
                        const Model& model) {
  const at::NoGradGuard no_grad;
  if (has_bad_input(micro_batches)) return "the inputs of its batch are not finite";
  if (auto parameter = first_of(model.named_parameters(), "parameter"))
    return *parameter + ", so it was the update before that went wrong";
  if (auto buffer = first_of(model.named_buffers(), "buffer")) return *buffer;
  for (const PassResult& pass : passes) {
    if (!is_finite(pass.logits)) return "the output of the model is not finite";
  }
  return "the inputs, the parameters and the output of the model are finite";
}

}  // namespace

void check_finite(std::span<const PassResult> passes, std::span<const MicroBatch> micro_batches,
                  const Model& model, std::int64_t step) {
  for (const PassResult& pass : passes) {
    const double loss = pass.loss.item<double>();
    if (std::isfinite(loss)) continue;
    throw NonFinite("the loss of step " + std::to_string(step) +
                    (std::isnan(loss) ? " is NaN: " : " is infinite: ") +
                    first_cause(passes, micro_batches, model));
  }
}

}  // namespace ddp::trainer
