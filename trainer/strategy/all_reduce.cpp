#include "trainer/strategy/all_reduce.hpp"

#include <ATen/ATen.h>

#include <optional>
#include <string_view>
#include <vector>

#include "ddp/trainer/distributed_data_parallel.hpp"

namespace ddp::trainer {
namespace {

CommHook comm_hook_named(std::string_view word) {
  if (word == "fp16") return CommHook::fp16;
  return word == "bf16" ? CommHook::bf16 : CommHook::none;
}

DistributedDataParallelOptions options_of(const Component& ddp) {
  return {.bucket_cap_mib = ddp.get<std::int64_t>("bucket_cap_mib"),
          .find_unused_parameters = ddp.get<bool>("find_unused_parameters"),
          .static_graph = ddp.get<bool>("static_graph"),
          .gradient_as_bucket_view = ddp.get<bool>("gradient_as_bucket_view"),
          .broadcast_buffers = ddp.get<bool>("broadcast_buffers"),
          .comm_hook = comm_hook_named(ddp.get<std::string>("comm_hook"))};
}

class AllReduce final : public Strategy {
 public:
  explicit AllReduce(const StrategyParts& parts)
      : group_(parts.group),
        model_(parts.model, parts.group, options_of(parts.config.strategy)),
        keeps_own_buffers_(!parts.config.strategy.get<bool>("broadcast_buffers")) {}

  [[nodiscard]] Shards shards() const override { return {group_.size(), group_.rank(), 1}; }

  [[nodiscard]] std::vector<PassResult> forward_backward(std::span<const Batch> batches,
                                                         const LocalPass& pass, GradientSync sync) override {
    take_back_own_buffers();
    std::optional<DistributedDataParallel::NoSync> unreduced;
    if (sync == GradientSync::later) unreduced.emplace(model_);
    return {pass([this](const torch::Tensor& input) { return model_.forward(input); }, batches.front())};
  }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> exposed_communication() const override {
    const auto times = model_.average_times();
    if (!times || group_.size() == 1) return std::nullopt;
    return times->exposed_communication();
  }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> take_own_time() override {
    return model_.take_own_time();
  }

  void share_model() override {
    if (keeps_own_buffers_ && own_buffers_.empty()) {
      for (const auto& buffer : model_.module().buffers()) own_buffers_.push_back(buffer.clone());
    }
    model_.broadcast_buffers();
  }

 private:
  void take_back_own_buffers() {
    if (own_buffers_.empty()) return;
    const at::NoGradGuard no_grad;
    const auto buffers = model_.module().buffers();
    for (std::size_t i = 0; i < own_buffers_.size(); ++i) torch::Tensor(buffers[i]).copy_(own_buffers_[i]);
    own_buffers_.clear();
  }

  ProcessGroup& group_;
  DistributedDataParallel model_;
  bool keeps_own_buffers_;
  std::vector<torch::Tensor> own_buffers_;  // while the module has those of rank 0
};

}  // namespace

std::unique_ptr<Strategy> make_all_reduce(const StrategyParts& parts) {
  return std::make_unique<AllReduce>(parts);
}

}  // namespace ddp::trainer
