#pragma once

#include <torch/types.h>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// A view of the rows of `whole` that this rank of `group` holds (see rows_of_rank()).
[[nodiscard]] torch::Tensor own_rows(const torch::Tensor& whole, const ProcessGroup& group);

}  // namespace ddp::trainer
