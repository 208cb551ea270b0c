#pragma once

#include <string_view>

#include "ddp/trainer/dataset.hpp"
#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Throws std::runtime_error on all ranks, with the rank and what differs, unless `dataset` has the same
/// number of samples, shape of a sample and number of classes on all of them: ranks that count differently
/// would wait for each other. `split` is what to call it. Samples are not compared. A collective.
void require_same_data(const Dataset& dataset, std::string_view split, ProcessGroup& group);

}  // namespace ddp::trainer
