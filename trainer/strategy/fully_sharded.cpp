#include "trainer/strategy/fully_sharded.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/distributed/agreement/gather_texts.hpp"
#include "trainer/distributed/broadcast_tensors.hpp"
#include "trainer/distributed/same_module.hpp"
#include "trainer/distributed/same_parameters.hpp"
#include "trainer/models/model_state.hpp"
#include "trainer/optim/clip_grad_norm.hpp"
#include "trainer/sharding/fully_sharded_module.hpp"
#include "trainer/sharding/own_rows.hpp"
#include "trainer/sharding/row_range.hpp"
#include "trainer/strategy/own_buffers.hpp"
#include "trainer/strategy/row_sharded_optimizer.hpp"

namespace ddp::trainer {
namespace {

at::ScalarType scalar_type_of(const std::string& word) {
  return word == "bf16" ? at::kBFloat16 : word == "fp16" ? at::kHalf : at::kFloat;
}

FullyShardedOptions sharding_options_of(const Component& strategy) {
  return {
      .after_forward = strategy.get<bool>("reshard_after_forward") ? AfterForward::free : AfterForward::keep,
      .param_dtype = scalar_type_of(strategy.get<std::string>("param_dtype")),
      .reduce_dtype = scalar_type_of(strategy.get<std::string>("reduce_dtype")),
      .prefetch = strategy.get<bool>("prefetch") ? Prefetch::yes : Prefetch::no};
}

std::string describe(const FullyShardedOptions& options) {
  std::ostringstream text;
  text << std::boolalpha << "the options reshard_after_forward "
       << (options.after_forward == AfterForward::free) << ", param_dtype " << options.param_dtype
       << ", reduce_dtype " << options.reduce_dtype << ", prefetch " << (options.prefetch == Prefetch::yes);
  return text.str();
}

/// Its running statistics stay float32, and no kernel takes both types.
void refuse_batch_norm(const Model& model, const std::string& strategy) {
  for (const auto& item : model.named_modules()) {
    const auto& module = *item.value();
    if (module.as<torch::nn::BatchNorm1d>() == nullptr && module.as<torch::nn::BatchNorm2d>() == nullptr &&
        module.as<torch::nn::BatchNorm3d>() == nullptr)
      continue;
    throw InvalidConfiguration("train." + strategy + ".param_dtype: the model has a BatchNorm layer, '" +
                               item.key() +
                               "', which computes in float32 only; remove param_dtype, and use " +
                               "train.precision: bf16 for less precision");
  }
}

std::shared_ptr<Model> take_from_rank_0(const std::shared_ptr<Model>& model, const std::string& strategy,
                                        const FullyShardedOptions& options, ProcessGroup& group) {
  require_same_module(*model, strategy, describe(options), group);
  if (options.param_dtype != at::kFloat) refuse_batch_norm(*model, strategy);
  std::vector<torch::Tensor> values;
  for (const auto& [name, tensor] : model_state(*model)) values.push_back(tensor.detach());
  broadcast_tensors(values, group);
  return model;
}

/// The groups of a rank: `size` ranks in a row share the parameters; the n-th of each have the same rows.
struct RankGroups {
  RankGroups(ProcessGroup& world, int size) {
    if (size == world.size()) return;
    const int first = world.rank() / size * size;
    std::vector<int> in_a_row(static_cast<std::size_t>(size));
    std::iota(in_a_row.begin(), in_a_row.end(), first);
    for (int rank = world.rank() % size; rank < world.size(); rank += size) replica_ranks.push_back(rank);
    shards.emplace(world.split(in_a_row));
    replicas.emplace(world.split(replica_ranks));
  }

  [[nodiscard]] ShardGroups in(ProcessGroup& world) {
    return shards ? ShardGroups{*shards, &*replicas} : ShardGroups{world};
  }

  std::vector<int> replica_ranks;      // of the run; empty: there are no replicas
  std::optional<ProcessGroup> shards;  // likewise
  std::optional<ProcessGroup> replicas;
};

class FullySharded final : public Strategy {
 public:
  FullySharded(const StrategyParts& parts, int shard_size, std::int64_t verify_every_steps)
      : Strategy(parts.model),
        world_(parts.group),
        rank_groups_(parts.group, shard_size),
        groups_(rank_groups_.in(parts.group)),
        options_(sharding_options_of(parts.config.strategy)),
        verify_every_steps_(verify_every_steps),
        module_(
            take_from_rank_0(parts.model, parts.config.strategy.name, options_, parts.group),
            [model = parts.model](const torch::Tensor& input) { return model->forward(input); }, groups_,
            options_) {
    const auto needs_gradient = [](const auto& item) { return item.second.requires_grad(); };
    if (std::ranges::none_of(module_.rows(), needs_gradient))
      throw InvalidConfiguration("the model has no parameter that needs a gradient");
  }

  [[nodiscard]] Shards shards() const override { return {world_.size(), world_.rank(), 1}; }
  [[nodiscard]] Held parameters_held() const override { return Held::share; }
  [[nodiscard]] Held optimizer_state_held() const override { return Held::share; }
  [[nodiscard]] NamedTensors parameters() const override { return module_.rows(); }

  [[nodiscard]] std::vector<PassResult> forward_backward(std::span<const Batch> batches,
                                                         const LocalPass& pass, GradientSync sync) override {
    own_buffers_.give_back(model());
    module_.set_gradient_sync(sync);
    const auto waited_before = module_.waiting_time();
    const auto began = std::chrono::steady_clock::now();
    PassResult result =
        pass([this](const torch::Tensor& input) { return module_.forward(input); }, batches.front());
    const auto waited = module_.waiting_time() - waited_before;
    own_time_ += std::chrono::steady_clock::now() - began - waited;
    waited_ += waited;
    if (sync == GradientSync::now) ++steps_;
    return {std::move(result)};
  }

  [[nodiscard]] torch::Tensor evaluate(const torch::Tensor& input) override { return module_.forward(input); }

  [[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const MakeOptimizer& make) override {
    std::vector<std::vector<std::int64_t>> whole;
    for (const auto& [name, parameter] : Strategy::parameters()) whole.push_back(parameter.sizes().vec());
    return make_row_sharded_optimizer(module_.rows(), std::move(whole), make, groups_.shards);
  }

  torch::Tensor clip_grad_norm(const std::vector<torch::Tensor>& gradients, double max_norm) override {
    return clip_sharded_grad_norm(gradients, max_norm, groups_.shards);
  }

  // Where ranks share all of the parameters, none of them has what another one has.
  void verify(std::int64_t step) override {
    if (verify_every_steps_ == 0 || step % verify_every_steps_ != 0 || groups_.replicas == nullptr) return;
    for (const std::string& fault : gather_texts(compare_replicas(step), world_)) {
      if (!fault.empty()) throw ParametersDiverged(fault);
    }
  }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> exposed_communication() const override {
    if (steps_ == 0 || world_.size() == 1 || !module_.host_waits()) return std::nullopt;
    return waited_ / steps_;
  }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> take_own_time() override {
    if (!module_.host_waits()) return std::nullopt;
    return std::exchange(own_time_, std::chrono::nanoseconds{});
  }

  void share_model() override {
    own_buffers_.keep(model());
    broadcast_tensors(model().buffers(), world_);
  }

  [[nodiscard]] int checkpoint_writers() const override { return groups_.shards.size(); }

  [[nodiscard]] StateRows own_state(const Optimizer& optimizer) const override {
    if (world_.rank() >= checkpoint_writers()) return {};  // others have the same rows
    StateRows state;
    for (const auto& item : model().named_parameters()) {
      const torch::Tensor& whole = item.value();
      if (whole.size(0) == 0 && world_.rank() > 0) continue;
      state.model.push_back({.name = item.key(),
                             .rows = module_.rows_of(whole).detach(),
                             .first = own_range(whole.size(0)).first,
                             .shape = whole.sizes().vec()});
    }
    if (world_.rank() == 0)
      for (const auto& item : model().named_buffers())
        state.model.push_back(whole_tensor(item.key(), item.value()));
    state.optimizer = optimizer.state_rows();
    return state;
  }

  void load_tensor(const std::string& name, const torch::Tensor& whole) override {
    const torch::Tensor& own = tensor_named(name);
    if (!module_.is_sharded(own)) return Strategy::load_tensor(name, whole);
    const at::NoGradGuard no_grad;
    module_.rows_of(own).copy_(own_rows(whole, groups_.shards));
  }

 protected:
  void read_tensor(const std::string& name, const TensorFiles& files) override {
    const torch::Tensor& own = tensor_named(name);
    if (!module_.is_sharded(own)) return Strategy::read_tensor(name, files);
    const at::NoGradGuard no_grad;
    const RowRange range = own_range(own.size(0));
    module_.rows_of(own).copy_(files.read_rows(name, range.first, range.first + range.count));
  }

 private:
  /// What is wrong with those of this rank's rows; empty when nothing is.
  [[nodiscard]] std::string compare_replicas(std::int64_t step) const {
    try {
      require_same_parameters(module_.rows(), step, *groups_.replicas, [this](int replica) {
        return rank_groups_.replica_ranks[static_cast<std::size_t>(replica)];
      });
      return {};
    } catch (const ParametersDiverged& fault) {
      return fault.what();
    }
  }

  [[nodiscard]] RowRange own_range(std::int64_t rows) const {
    return rows_of_rank(rows, groups_.shards.size(), groups_.shards.rank());
  }

  ProcessGroup& world_;
  RankGroups rank_groups_;
  ShardGroups groups_;
  FullyShardedOptions options_;
  std::int64_t verify_every_steps_;  // 0: never
  FullyShardedModule module_;
  OwnBuffers own_buffers_;
  std::chrono::nanoseconds own_time_{};
  std::chrono::nanoseconds waited_{};
  std::int64_t steps_ = 0;
};

/// Nodes may have different numbers of ranks. Throws on all ranks.
int agree_on_shard_size(int wanted, ProcessGroup& group) {
  for (const torch::Tensor& of_rank : group.all_gather(at::tensor({wanted}, at::kInt))) {
    if (of_rank.item<int>() == wanted) continue;
    throw InvalidConfiguration("hsdp: the nodes have different numbers of ranks; set train.hsdp.shard");
  }
  return std::min(wanted, group.size());
}

}  // namespace

std::unique_ptr<Strategy> make_fully_sharded(const StrategyParts& parts) {
  return std::make_unique<FullySharded>(parts, parts.group.size(), 0);
}

std::unique_ptr<Strategy> make_hybrid_sharded(const StrategyParts& parts) {
  const Component& strategy = parts.config.strategy;
  const auto chosen = static_cast<int>(strategy.get<std::int64_t>("shard"));
  const int shard_size = agree_on_shard_size(chosen > 0 ? chosen : parts.ranks_per_node, parts.group);
  if (parts.group.size() % shard_size != 0)
    throw InvalidConfiguration("hsdp: the " + std::to_string(parts.group.size()) +
                               " ranks cannot be divided into groups of " + std::to_string(shard_size) +
                               "; set train.hsdp.shard");
  return std::make_unique<FullySharded>(parts, shard_size, strategy.get<std::int64_t>("verify_every_steps"));
}

}  // namespace ddp::trainer
