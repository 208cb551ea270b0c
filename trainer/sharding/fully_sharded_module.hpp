#pragma once

#include <torch/types.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ddp/trainer/block.hpp"
#include "trainer/checkpoint/training_state.hpp"
#include "trainer/sharding/gradient_sync.hpp"
#include "trainer/sharding/sharded_block.hpp"

namespace ddp::trainer {

/// A module whose parameters are shared out over ranks, as by Python's fully_shard() on each of its blocks
/// and then on itself: each rank keeps the rows of rows_of_rank() of every parameter. The parameters of a
/// block are gathered before its forward and before its backward, and freed after both; after backward its
/// gradients are reduced to the means of the own rows. The bytes are those of Python's FSDP2.
///
/// The module keeps its tensors; between passes their storage is empty. Used by one thread. After an
/// exception neither this object nor the groups can be used any more.
class FullyShardedModule final : public BlockRunner {
 public:
  using Forward = std::function<torch::Tensor(const torch::Tensor&)>;

  /// Drops what other ranks keep. All ranks must have the same module, with the same values. `forward` calls
  /// it. The groups must outlive this object; the module is shared with the caller. Throws
  /// InvalidConfiguration for a parameter that cannot be shared out.
  FullyShardedModule(std::shared_ptr<torch::nn::Module> module, Forward forward, const ShardGroups& groups,
                     const FullyShardedOptions& options);
  FullyShardedModule(const FullyShardedModule&) = delete;
  FullyShardedModule& operator=(const FullyShardedModule&) = delete;
  ~FullyShardedModule() override;

  /// The module's forward; float32 comes out, where the module gives another floating type. A collective,
  /// under at::NoGradGuard, too, and so is the backward pass.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& input);

  /// What the backward passes from now on do with their gradients.
  void set_gradient_sync(GradientSync sync) { sync_ = sync; }

  /// The rows of this rank, under the names that module().named_parameters() has, in its order, each once:
  /// what an optimizer updates.
  [[nodiscard]] const NamedTensors& rows() const { return rows_; }

  /// Those of `parameter`, one of the module's own tensors.
  [[nodiscard]] const torch::Tensor& rows_of(const torch::Tensor& parameter) const {
    return rows_of_.at(parameter.unsafeGetTensorImpl());
  }

  [[nodiscard]] torch::nn::Module& module() const { return *module_; }

  /// How long this rank has been in collectives of all passes so far.
  [[nodiscard]] std::chrono::nanoseconds waiting_time() const { return context_.waiting.total(); }

 private:
  class BeginBackwardOfInput;
  enum class Pass { none, backward, after_backward };
  struct Group {
    Group(const BlockParameters& block, BlockContext& context) : parameters(block, context) {}

    ShardedBlock parameters;
    Pass pass = Pass::none;
    std::vector<std::size_t> forwards;  // its places in forward_order_, of which backward has not come by
  };

  [[nodiscard]] torch::Tensor run(Block& block, const torch::Tensor& input) override;
  [[nodiscard]] torch::Tensor to_param_dtype(const torch::Tensor& input) const;
  [[nodiscard]] bool prefetches() const;
  void before_forward(Group& group);
  void watch_backward(Group& group, const torch::Tensor& output);
  void before_backward(Group& group);
  void after_backward(Group& group);
  void finish_forward();
  void finish_backward();
  void collect_rows();

  std::shared_ptr<torch::nn::Module> module_;
  Forward forward_;
  BlockContext context_;
  std::deque<Group> groups_;  // that of the module itself is the last; elements do not move
  std::unordered_map<const Block*, Group*> group_of_;
  std::vector<Block*> blocks_;
  NamedTensors rows_;
  std::unordered_map<const c10::TensorImpl*, torch::Tensor> rows_of_;
  GradientSync sync_ = GradientSync::now;
  std::vector<Group*> forward_order_;  // of the pass; with multiplicity
  std::vector<Group*> next_order_;     // of the pass before: what is prefetched in forward
  Group* reducing_ = nullptr;
  bool finish_queued_ = false;
};

}  // namespace ddp::trainer
