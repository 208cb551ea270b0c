#include "trainer/loss/cross_entropy.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {
namespace {

constexpr std::int64_t kIgnoredTarget = -100;  // PyTorch's default

}  // namespace

Loss make_cross_entropy(const Component& loss) {
  return [label_smoothing = loss.get<double>("label_smoothing")](const torch::Tensor& logits,
                                                                 const torch::Tensor& targets) {
    return at::cross_entropy_loss(logits, targets, {}, at::Reduction::Mean, kIgnoredTarget, label_smoothing);
  };
}

}  // namespace ddp::trainer
