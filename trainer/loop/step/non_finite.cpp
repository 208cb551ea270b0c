#include "trainer/loop/step/non_finite.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "trainer/distributed/agreement/gather_texts.hpp"

namespace ddp::trainer {
namespace {

bool is_finite(const torch::Tensor& tensor) {
  return !tensor.is_floating_point() || tensor.isfinite().all().item<bool>();
}

std::string text_for(const char* kind, const std::string& name) {
  return std::string(kind) + " '" + name + "' is not finite";
}

/// Of what this rank has of them.
std::optional<std::string> first_parameter(const Strategy& strategy) {
  for (const auto& [name, parameter] : strategy.parameters()) {
    if (!is_finite(parameter)) return text_for("parameter", name);
  }
  return std::nullopt;
}

std::optional<std::string> first_buffer(const Strategy& strategy) {
  for (const auto& buffer : strategy.model().named_buffers()) {
    if (!is_finite(buffer.value())) return text_for("buffer", buffer.key());
  }
  return std::nullopt;
}

/// `mine`, or where ranks hold shares the first that any of them has.
std::optional<std::string> first_of_ranks(std::optional<std::string> mine, const Strategy& strategy,
                                          ProcessGroup& group) {
  if (strategy.parameters_held() == Held::all) return mine;
  for (std::string& text : gather_texts(mine.value_or(""), group)) {
    if (!text.empty()) return std::move(text);
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
                        const Strategy& strategy) {
  const at::NoGradGuard no_grad;
  if (has_bad_input(micro_batches)) return "the inputs of its batch are not finite";
  if (auto parameter = first_parameter(strategy))
    return *parameter + ": the update of the step before went wrong";
  if (auto buffer = first_buffer(strategy)) return *buffer;
  for (const PassResult& pass : passes) {
    if (!is_finite(pass.logits)) return "the output of the model is not finite";
  }
  return "the inputs, the parameters and the output of the model are finite";
}

/// In one pass: the extremes of a tensor are not finite when one of its numbers is not.
bool all_finite(const NamedTensors& tensors) {
  std::vector<torch::Tensor> extremes;
  for (const auto& [name, tensor] : tensors) {
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

void check_finite_parameters(const Strategy& strategy, std::int64_t step, ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  std::optional<std::string> found;
  if (!all_finite(strategy.parameters())) found = first_parameter(strategy);
  found = first_of_ranks(std::move(found), strategy, group);
  if (!found) return;
  throw NonFinite(*found + " after step " + std::to_string(step) +
                  ": the update of this step went wrong, and no checkpoint of it is kept");
}

void check_finite_evaluation(double mean_loss, const Strategy& strategy, std::int64_t step,
                             ProcessGroup& group) {
  if (std::isfinite(mean_loss)) return;
  const at::NoGradGuard no_grad;
  auto parameter = first_parameter(strategy);
  const auto cause =
      first_of_ranks(parameter ? std::move(parameter) : first_buffer(strategy), strategy, group);
  throw NonFinite("the loss of the evaluation after step " + std::to_string(step) + " is " +
                  not_a_number(mean_loss) + ": " +
                  cause.value_or("the parameters and buffers of the model are finite; check the test data"));
}

void check_finite(std::span<const PassResult> passes, std::span<const MicroBatch> micro_batches,
                  const Strategy& strategy, std::int64_t step) {
  for (const PassResult& pass : passes) {
    const double loss = pass.loss.item<double>();
    if (std::isfinite(loss)) continue;
    throw NonFinite("the loss of step " + std::to_string(step) + " is " + not_a_number(loss) + ": " +
                    first_cause(passes, micro_batches, strategy));
  }
}

}  // namespace ddp::trainer
