#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

namespace ddp::trainer {

class BlockRunner;

/// A part of a model, such as one layer of a transformer, whose parameters `strategy: fsdp` gathers together
/// before they are used and frees after that: what Python's fully_shard() is called on. Smaller blocks need
/// less memory, and more messages. Parameters that are in no block stay gathered from the start of forward to
/// the end of backward. With other strategies a block is a plain module.
///
///     class Layer : public ddp::trainer::Block {
///      protected:
///       torch::Tensor forward(const torch::Tensor& x) override;
///     };
///     for (const auto& layer : layers_) x = (*layer)(x);
class Block : public torch::nn::Module {
 public:
  using torch::nn::Module::Module;

  /// Computes the block. A model calls this, never forward(), and uses parameters of a block only inside of
  /// it. `input` may need a gradient; blocks take and give one tensor. Used by one thread at a time.
  [[nodiscard]] torch::Tensor operator()(const torch::Tensor& input);

  /// From now on `runner`, which must outlive its use, calls forward(); nullptr: the block itself does.
  void run_by(BlockRunner* runner) { runner_ = runner; }

 protected:
  /// What the block computes. It must not change `input` in place, nor return a view of a parameter.
  virtual torch::Tensor forward(const torch::Tensor& input) = 0;

 private:
  friend class BlockRunner;

  BlockRunner* runner_ = nullptr;
};

/// Calls forward() of blocks, with what has to be done before and after it.
class BlockRunner {
 public:
  virtual ~BlockRunner() = default;
  [[nodiscard]] virtual torch::Tensor run(Block& block, const torch::Tensor& input) = 0;

 protected:
  [[nodiscard]] static torch::Tensor forward_of(Block& block, const torch::Tensor& input) {
    return block.forward(input);
  }
};

inline torch::Tensor Block::operator()(const torch::Tensor& input) {
  return runner_ != nullptr ? runner_->run(*this, input) : forward(input);
}

}  // namespace ddp::trainer
