#include "trainer/loop/step/non_finite.hpp"

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

std::optional<std::string> first_in(const Model& model) {
  auto parameter = first_of(model.named_parameters(), "parameter");
  return parameter ? parameter : first_of(model.named_buffers(), "buffer");
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
    return *parameter + ": the update of the step before went wrong";
  if (auto buffer = first_of(model.named_buffers(), "buffer")) return *buffer;
  for (const PassResult& pass : passes) {
    if (!is_finite(pass.logits)) return "the output of the model is not finite";
  }
  return "the inputs, the parameters and the output of the model are finite";
}

/// In one pass: the extremes of a tensor are not finite when one of its numbers is not.
bool all_finite(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> extremes;
  for (const auto& tensor : tensors) {
    if (tensor.numel() == 0 || !tensor.is_floating_point()) continue;
    // aminmax copies what has another order of dimensions.
    const bool dense = tensor.is_non_overlapping_and_dense();
    const auto [least, greatest] = at::aminmax(dense ? tensor.as_strided({tensor.numel()}, {1}) : tensor);
    extremes.push_back(least.to(torch::kDouble));
    extremes.push_back(greatest.to(torch::kDouble));
  }
  return extremes.empty() || is_finite(at::stack(extremes));
}

std::string not_a_number(double loss) {
  return std::isnan(loss) ? "NaN" : "infinite";
}

}  // namespace

void check_finite_parameters(const Model& model, std::int64_t step) {
  const at::NoGradGuard no_grad;
  if (all_finite(model.parameters())) return;
  throw NonFinite(first_of(model.named_parameters(), "parameter").value() + " after step " +
                  std::to_string(step) +
                  ": the update of this step went wrong, and no checkpoint of it is kept");
}

void check_finite_evaluation(double mean_loss, const Model& model, std::int64_t step) {
  if (std::isfinite(mean_loss)) return;
  const at::NoGradGuard no_grad;
  const auto cause = first_in(model);
  throw NonFinite("the loss of the evaluation after step " + std::to_string(step) + " is " +
                  not_a_number(mean_loss) + ": " +
                  cause.value_or("the parameters and buffers of the model are finite; check the test data"));
}

void check_finite(std::span<const PassResult> passes, std::span<const MicroBatch> micro_batches,
                  const Model& model, std::int64_t step) {
  for (const PassResult& pass : passes) {
    const double loss = pass.loss.item<double>();
    if (std::isfinite(loss)) continue;
    throw NonFinite("the loss of step " + std::to_string(step) + " is " + not_a_number(loss) + ": " +
                    first_cause(passes, micro_batches, model));
  }
}

}  // namespace ddp::trainer
