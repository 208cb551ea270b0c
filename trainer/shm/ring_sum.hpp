#pragma once

#include <ATen/core/Tensor.h>

#include <span>

namespace ddp::trainer {

enum class SharedReduction { sum, average };

/// Whether reduce_in_order() has the bits of Gloo for tensors of this type. An average is of floating-point
/// numbers only, as Gloo's.
[[nodiscard]] bool has_bits_of_gloo(at::ScalarType type, SharedReduction reduction);

/// Writes the reduction of `terms`, one at least and all of one dimension, to `result`: adds them up from the
/// first to the last, and divides the sum by their number for an average, as ProcessGroupGloo does. Sums of
/// some of them stand in `partial`. `result` may be the memory of one of the terms if `partial` is of none,
/// or if the term is one of the first two.
void reduce_in_order(std::span<const at::Tensor> terms, const at::Tensor& partial, const at::Tensor& result,
                     SharedReduction reduction);

}  // namespace ddp::trainer
