#pragma once

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

/// The option `decay`, which goes with `weight_decay`.
[[nodiscard]] OptionSchema decay_option();

}  // namespace ddp::trainer
