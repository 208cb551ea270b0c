#pragma once

#include <c10/core/Device.h>

#include "ddp/jobenv/env_map.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Tells LibTorch, for the whole process, how `config` wants a run on `device` to compute: deterministic,
/// with or without TF32. What it says nothing of stays as it is. To be called before the first computation.
/// Throws InvalidConfiguration when deterministic results need a variable that the environment has not got.
void set_numerics(const TrainConfig& config, const at::Device& device, const EnvMap& environment);

}  // namespace ddp::trainer
