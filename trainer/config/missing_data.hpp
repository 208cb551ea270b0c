#pragma once

#include <optional>

#include "trainer/config/component_schema.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Files that this training reads and that are not on this machine; nullopt when there are none, or when its
/// dataset is none of files. Looks for the files, opens none.
[[nodiscard]] std::optional<MissingData> find_missing_data(const TrainConfig& config,
                                                           const ComponentSchemas& schemas);

}  // namespace ddp::trainer
