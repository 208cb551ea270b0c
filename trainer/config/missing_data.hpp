#pragma once

#include <optional>

#include "trainer/config/component_schema.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Files that this training reads and that are not on this machine, initial weights or data; nullopt when
/// there are none. The option is the whole path of its key. Looks for the files, opens none.
[[nodiscard]] std::optional<MissingData> find_missing_data(const TrainConfig& config,
                                                           const ComponentSchemas& schemas);

}  // namespace ddp::trainer
