#pragma once

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

/// The option `implementation`, which all optimizers have.
[[nodiscard]] OptionSchema implementation_option();

}  // namespace ddp::trainer
