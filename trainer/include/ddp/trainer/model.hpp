#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

namespace ddp::trainer {

/// A classifier. A program's own models derive from it and register their parameters, buffers and sub-modules
/// as any torch::nn::Module; the names that they are registered under are those in checkpoints. Used by one
/// thread at a time.
class Model : public torch::nn::Module {
 public:
  /// `input`, [batch, ...] of float32, to logits, [batch, classes], on the device of the parameters. Throws
  /// c10::Error for a shape that does not fit. It may change buffers, but no parameters: a checkpoint may be
  /// copied meanwhile.
  virtual torch::Tensor forward(const torch::Tensor& input) = 0;
};

}  // namespace ddp::trainer
