#pragma once

#include <memory>

#include "ddp/trainer/process_group.hpp"
#include "trainer/optim/optimizer.hpp"

namespace ddp::trainer {

/// An optimizer of the rows that each rank of `shards` holds of every parameter. `rows` are its own, and
/// `whole` has the sizes of the parameters, in the same order. A state that is loaded or read is that of
/// whole parameters. `shards` must outlive the optimizer.
[[nodiscard]] std::unique_ptr<Optimizer> make_row_sharded_optimizer(
    const NamedTensors& rows, std::vector<std::vector<std::int64_t>> whole,
    const std::function<std::unique_ptr<Optimizer>(NamedTensors)>& make, ProcessGroup& shards);

}  // namespace ddp::trainer
