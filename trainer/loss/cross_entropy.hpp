#pragma once

#include "trainer/loss/loss.hpp"

namespace ddp::trainer {

/// `cross_entropy`: the bytes of torch.nn.functional.cross_entropy(logits, targets, label_smoothing=...).
/// `targets` are classes, int64 [batch].
[[nodiscard]] Loss make_cross_entropy(const Component& loss);

}  // namespace ddp::trainer
