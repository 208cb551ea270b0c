#pragma once

#include <torch/types.h>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// The whole tensor of `sizes`, of which each rank of `group` gives its own `rows` (see rows_of_rank()); a
/// copy, on every rank. A collective.
[[nodiscard]] torch::Tensor gather_rows(const torch::Tensor& rows, at::IntArrayRef sizes,
                                        ProcessGroup& group);

/// A view of the rows of `whole` that this rank of `group` holds.
[[nodiscard]] torch::Tensor own_rows(const torch::Tensor& whole, const ProcessGroup& group);

}  // namespace ddp::trainer
