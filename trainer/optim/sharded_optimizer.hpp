#pragma once

#include <functional>
#include <memory>

#include "ddp/trainer/process_group.hpp"
#include "trainer/optim/optimizer.hpp"

namespace ddp::trainer {

/// An optimizer whose state is divided among the ranks (ZeRO stage 1): each rank updates some of the
/// parameters, for which alone it keeps state, and gives them to the others. All ranks must have the same
/// gradients; then the parameters are, byte for byte, those of the same optimizer on every rank. step() and
/// gather_state() are collectives.
///
/// `make` makes the optimizer of a rank's own parameters. The parameters are moved within memory; see
/// ParameterBlocks. `group` must outlive the optimizer.
[[nodiscard]] std::unique_ptr<Optimizer> make_sharded_optimizer(
    NamedTensors parameters, const std::function<std::unique_ptr<Optimizer>(NamedTensors)>& make,
    ProcessGroup& group);

}  // namespace ddp::trainer
