#include "trainer/strategy/parameter_server.hpp"

#include <ATen/ATen.h>

#include <stdexcept>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "ddp/jobenv/own_progress.hpp"
#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/distributed/broadcast_tensors.hpp"
#include "trainer/distributed/pass_timer.hpp"
#include "trainer/distributed/same_module.hpp"

namespace ddp::trainer {
namespace {

constexpr int kServer = 0;

class ParameterServer final : public Strategy {
 public:
  explicit ParameterServer(const StrategyParts& parts)
      : Strategy(parts.model), group_(parts.group), pass_timer_(parts.device) {
    for (const auto& parameter : model().parameters()) {
      if (parameter.requires_grad()) parameters_.push_back(parameter);
      shared_.push_back(parameter.detach());
    }
    if (parameters_.empty()) throw InvalidConfiguration("the model has no parameter that needs a gradient");
    for (const auto& buffer : model().buffers()) shared_.push_back(buffer);
    require_same_module(model(), "parameter_server", "the strategy parameter_server", group_);
    pull();
  }

  [[nodiscard]] Shards shards() const override { return {group_.size(), group_.rank(), 1}; }

  [[nodiscard]] std::vector<PassResult> forward_backward(std::span<const Batch> batches,
                                                         const LocalPass& pass, GradientSync sync) override {
    if (!pulled_) pull();
    pass_timer_.begin();
    PassResult result =
        pass([this](const torch::Tensor& input) { return model().forward(input); }, batches.front());
    pass_timer_.end();
    if (sync == GradientSync::now) {
      push();
      pulled_ = false;
    }
    return {std::move(result)};
  }

  [[nodiscard]] bool updates() const override { return group_.rank() == kServer; }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> take_own_time() override {
    return pass_timer_.take();
  }

  void share_model() override { pull(); }

 private:
  void pull() {
    broadcast_tensors(shared_, group_);
    pulled_ = true;
  }

  // The gradients of a rank in one row, and behind them for each parameter a 1 where it has one: a parameter
  // without gradient on all ranks is left alone.
  [[nodiscard]] torch::Tensor flatten_gradients() const {
    std::vector<torch::Tensor> pieces;
    std::vector<float> has_gradient;
    for (const auto& parameter : parameters_) {
      const torch::Tensor& gradient = parameter.grad();
      pieces.push_back(gradient.defined() ? gradient.reshape(-1) : at::zeros_like(parameter).reshape(-1));
      has_gradient.push_back(gradient.defined() ? 1.0F : 0.0F);
    }
    pieces.push_back(at::tensor(has_gradient, pieces.front().options()));
    return at::cat(pieces);
  }

  void push() {
    const at::NoGradGuard no_grad;
    std::vector<torch::Tensor> sum = {flatten_gradients()};
    reduce(sum);
    if (updates()) take_mean(sum.front());
  }

  void reduce(std::vector<torch::Tensor>& sum) {
    c10d::ReduceOptions to_server;
    to_server.rootRank = kServer;
    const PeerWait wait;
    group_.c10d_group()->reduce(sum, to_server)->wait();
  }

  void take_mean(torch::Tensor& sum) {
    const auto count = static_cast<std::int64_t>(parameters_.size());
    const torch::Tensor used = sum.narrow(0, sum.numel() - count, count).to(at::kCPU);
    sum.div_(group_.size());
    std::int64_t offset = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      torch::Tensor& parameter = parameters_[static_cast<std::size_t>(i)];
      if (used.const_data_ptr<float>()[i] > 0) {
        const torch::Tensor gradient = sum.narrow(0, offset, parameter.numel()).view_as(parameter);
        // Laid out as the parameter is: fused updates go by the memory.
        parameter.mutable_grad() =
            parameter.is_contiguous() ? gradient : at::empty_like(parameter).copy_(gradient);
      }
      offset += parameter.numel();
    }
  }

  ProcessGroup& group_;
  PassTimer pass_timer_;
  std::vector<torch::Tensor> parameters_;  // those that need a gradient
  std::vector<torch::Tensor> shared_;      // what a pull brings
  bool pulled_ = false;                    // since the last update
};

}  // namespace

std::unique_ptr<Strategy> make_parameter_server(const StrategyParts& parts) {
  return std::make_unique<ParameterServer>(parts);
}

}  // namespace ddp::trainer
