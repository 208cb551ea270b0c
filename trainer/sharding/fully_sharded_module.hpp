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
#include "trainer/distributed/gradient_sync.hpp"
#include "trainer/sharding/sharded_block.hpp"

namespace ddp::trainer {

/// A module whose parameters are shared out over ranks, as by Python's fully_shard() on each of its blocks
/// and then on itself: each rank keeps the rows of rows_of_rank() of every parameter. The parameters of a
/// block are gathered before its forward and before its backward, and freed after both; after backward its
/// gradients are reduced to the means of the own rows. The bytes are those of Python's FSDP2.
///
/// The module keeps its tensors; between passes their storage is empty. After an exception neither this
/// object nor the groups can be used any more. Used by one thread at a time.
///
/// On a CUDA device the collectives are NCCL's, on streams of their own, beside the computation; all passes
/// and the steps of the optimizer must be on one stream.
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

  /// The module's forward. With another param_dtype than float32, floating inputs are converted to it, and
  /// the output to float32. A collective, under at::NoGradGuard, too, and so is the backward pass. Throws
  /// InvalidConfiguration with the name of a parameter that was replaced since the constructor.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& input);

  /// What the backward passes from now on do with their gradients.
  void set_gradient_sync(GradientSync sync) { sync_ = sync; }

  /// The rows of this rank, under the names that the module has for them, in its order, each once:
  /// what an optimizer updates.
  [[nodiscard]] const NamedTensors& rows() const { return rows_; }

  /// Whether `tensor` is one of the module's own parameters.
  [[nodiscard]] bool is_sharded(const torch::Tensor& tensor) const {
    return rows_of_.contains(tensor.unsafeGetTensorImpl());
  }

  /// Those of `parameter`, one of the module's own tensors.
  [[nodiscard]] const torch::Tensor& rows_of(const torch::Tensor& parameter) const {
    return rows_of_.at(parameter.unsafeGetTensorImpl());
  }

  /// How long this rank has been in collectives of all passes so far; see WaitingTime for CUDA.
  [[nodiscard]] std::chrono::nanoseconds waiting_time() const { return context_.waiting.total(); }

  /// Whether the host waits for collectives, so that waiting_time() says how long they take.
  [[nodiscard]] bool host_waits() const { return !context_.streams; }

 private:
  class AfterBackward;
  enum class Pass { none, backward, after_backward };
  struct BlockState {
    BlockState(const BlockParameters& block, BlockContext& context) : sharded(block, context) {}

    ShardedBlock sharded;
    Pass pass = Pass::none;
    std::vector<std::size_t> forwards;  // its places in done_, of which backward has not come by
  };

  [[nodiscard]] torch::Tensor run(Block& block, const torch::Tensor& input) override;
  [[nodiscard]] torch::Tensor to_param_dtype(const torch::Tensor& input) const;
  [[nodiscard]] bool prefetches() const;
  void before_forward(BlockState& block);
  void watch_backward(BlockState& block, const torch::Tensor& output);
  void before_backward(BlockState& block);
  void after_backward(BlockState& block);
  void finish_forward();
  void finish_backward();
  void collect_rows();
  void require_own_parameters() const;
  void await_rows();
  void await_gradients();

  std::shared_ptr<torch::nn::Module> module_;
  Forward forward_;
  BlockContext context_;
  std::deque<BlockState> blocks_;  // that of the module itself is the last; elements do not move
  std::unordered_map<Block*, BlockState*> state_of_;
  NamedTensors rows_;
  std::unordered_map<const c10::TensorImpl*, torch::Tensor> rows_of_;
  GradientSync sync_ = GradientSync::now;
  std::vector<BlockState*> started_;         // blocks of this forward, with multiplicity, as they begin
  std::vector<BlockState*> started_before_;  // of the forward before: what is prefetched in forward
  std::vector<BlockState*> done_;            // as they end: backward comes by the other way round
  BlockState* reducing_ = nullptr;
  bool finish_queued_ = false;
};

}  // namespace ddp::trainer
