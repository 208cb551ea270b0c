#include "trainer/loop/step/train_step.hpp"

#include <ATen/ATen.h>

#include <chrono>
#include <stdexcept>
#include <utility>

#include "trainer/loop/step/autocast.hpp"

namespace ddp::trainer {
namespace {

struct PassOptions {
  const Loss& loss;
  std::size_t micro_batches = 1;
  Precision precision = Precision::fp32;
  const GradScaler* scaler = nullptr;
};

// The mean over several micro-batches: each adds its part of the gradient.
PassResult pass_one(const Forward& forward, const Batch& batch, const PassOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  torch::Tensor logits;
  torch::Tensor loss;
  {
    const Autocast autocast(options.precision, batch.inputs.device());
    logits = forward(batch.inputs);
    loss = options.loss(logits, batch.targets);
  }
  const auto taken = std::chrono::steady_clock::now() - began;
  torch::Tensor part = loss;
  if (options.micro_batches > 1) part = part.div(static_cast<double>(options.micro_batches));
  if (options.scaler) part = options.scaler->scale(part);
  part.backward();
  return {loss.detach(), logits.detach(), batch.targets, taken};
}

}  // namespace

TrainStep::TrainStep(Strategy& strategy, Optimizer& optimizer, ProcessGroup& group, const at::Device& device,
                     const TrainStepOptions& options)
    : strategy_(strategy), optimizer_(optimizer), group_(group), device_(device), options_(options) {
  if (options_.precision != Precision::fp16) return;
  scaler_.emplace(device_);
}

std::vector<PassResult> TrainStep::pass_all(std::span<const MicroBatch> micro_batches) {
  const PassOptions options{.loss = options_.loss,
                            .micro_batches = micro_batches.size(),
                            .precision = options_.precision,
                            .scaler = scaler_ ? &*scaler_ : nullptr};
  const LocalPass pass = [&options](const Forward& forward, const Batch& batch) {
    return pass_one(forward, batch, options);
  };
  std::vector<PassResult> results;
  for (const MicroBatch& micro_batch : micro_batches) {
    const bool last = &micro_batch == &micro_batches.back();
    auto passed =
        strategy_.forward_backward(micro_batch, pass, last ? GradientSync::now : GradientSync::later);
    for (auto& result : passed) results.push_back(std::move(result));
  }
  return results;
}

std::vector<PassResult> TrainStep::accumulate(std::span<const MicroBatch> micro_batches) {
  optimizer_.zero_grad();
  return pass_all(micro_batches);
}

torch::Tensor TrainStep::update(double learning_rate) {
  const bool finite = !scaler_ || gradients_are_finite();
  if (!strategy_.updates()) return {};
  torch::Tensor norm;
  if (options_.clip_grad_norm)
    norm = strategy_.clip_grad_norm(optimizer_.gradients(), *options_.clip_grad_norm);
  if (finite) optimizer_.step(learning_rate);
  return norm;
}

// Ranks that do not update have no gradients of their own to look at, but they scale their losses too.
bool TrainStep::gradients_are_finite() {
  torch::Tensor found_inf =
      scaler_->unscale(strategy_.updates() ? optimizer_.gradients() : std::vector<torch::Tensor>());
  group_.all_reduce(found_inf);
  scaler_->update(found_inf);
  return found_inf.item<float>() == 0;
}

NamedTensors TrainStep::state() const {
  return scaler_ ? scaler_->state() : NamedTensors();
}

void TrainStep::load_state(const NamedTensors& state) {
  if (scaler_) scaler_->load_state(state);
}

void TrainStep::settle_buckets(const MicroBatch& micro_batch) {
  (void)pass_all({&micro_batch, 1});
  optimizer_.zero_grad();
}

}  // namespace ddp::trainer
