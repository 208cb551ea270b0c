#pragma once

#include <string>
#include <string_view>

#include "ddp/trainer/process_group.hpp"

namespace torch::nn {
class Module;
}

namespace ddp::trainer {

/// Throws std::invalid_argument on all ranks, with the rank and the parameter, unless `module` has the same
/// parameters and buffers on all of them (names, order, types, shapes, strides, requires_grad) and `options`,
/// a line about what else has to agree, is the same. `who` asks, for the message. Values are not compared. A
/// collective.
void require_same_module(const torch::nn::Module& module, std::string_view who, const std::string& options,
                         ProcessGroup& group);

}  // namespace ddp::trainer
