#pragma once

#include <string>
#include <vector>

#include "trainer/config/component_schema.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Whether the list tells where files are, which may differ from host to host.
enum class FilePlaces { listed, left_out };

/// What `config` says, in lines of "train.key: value", in the order of describe_train(); without the program.
[[nodiscard]] std::vector<std::string> list_settings(TrainConfig config, const ComponentSchemas& schemas,
                                                     FilePlaces places);

}  // namespace ddp::trainer
