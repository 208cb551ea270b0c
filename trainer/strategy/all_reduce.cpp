#include "trainer/strategy/all_reduce.hpp"

#include <ATen/ATen.h>

#include <optional>
#include <string_view>
#include <vector>

#include "ddp/trainer/distributed_data_parallel.hpp"
#include "trainer/distributed/same_parameters.hpp"
#include "trainer/optim/sharded_optimizer.hpp"
#include "trainer/strategy/own_buffers.hpp"

namespace ddp::trainer {
namespace {

CommHook comm_hook_named(std::string_view word) {
  if (word == "fp16") return CommHook::fp16;
  return word == "bf16" ? CommHook::bf16 : CommHook::none;
}

DistributedDataParallelOptions ddp_options_of(const Component& ddp) {
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
      : Strategy(parts.model),
        group_(parts.group),
        model_(parts.model, parts.group, ddp_options_of(parts.config.strategy)),
        keeps_own_buffers_(!parts.config.strategy.get<bool>("broadcast_buffers")),
        shards_optimizer_(parts.config.strategy.get<bool>("shard_optimizer")),
        first_passes_(parts.config.strategy.get<bool>("static_graph") ? 2 : 1),
        verify_every_steps_(parts.config.strategy.get<std::int64_t>("verify_every_steps")) {}

  [[nodiscard]] Shards shards() const override { return {group_.size(), group_.rank(), 1}; }

  [[nodiscard]] std::vector<PassResult> forward_backward(std::span<const Batch> batches,
                                                         const LocalPass& pass, GradientSync sync) override {
    own_buffers_.give_back(model());
    std::optional<DistributedDataParallel::NoSync> unreduced;
    if (sync == GradientSync::later) unreduced.emplace(model_);
    return {pass([this](const torch::Tensor& input) { return model_.forward(input); }, batches.front())};
  }

  [[nodiscard]] Held optimizer_state_held() const override {
    return shards_optimizer_ ? Held::share : Held::all;
  }

  [[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const MakeOptimizer& make) override {
    return shards_optimizer_ ? make_sharded_optimizer(parameters(), make, group_) : make(parameters());
  }

  [[nodiscard]] int first_passes() const override { return first_passes_; }

  void verify(std::int64_t step) override {
    if (verify_every_steps_ > 0 && step % verify_every_steps_ == 0)
      require_same_parameters(parameters(), step, group_);
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
    if (keeps_own_buffers_) own_buffers_.keep(model());
    model_.broadcast_buffers();
  }

 private:
  ProcessGroup& group_;
  DistributedDataParallel model_;
  bool keeps_own_buffers_;
  bool shards_optimizer_;
  int first_passes_;
  std::int64_t verify_every_steps_;  // 0: never
  OwnBuffers own_buffers_;
};

}  // namespace

std::unique_ptr<Strategy> make_all_reduce(const StrategyParts& parts) {
  return std::make_unique<AllReduce>(parts);
}

}  // namespace ddp::trainer
