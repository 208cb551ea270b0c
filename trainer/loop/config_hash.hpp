#pragma once

#include <string>

#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// 16 hexadecimal digits over everything in `config` that decides what a step computes. Lengths, cadences and
/// time-outs are not in it: a run may be continued with more epochs.
[[nodiscard]] std::string config_hash(const TrainConfig& config);

}  // namespace ddp::trainer
