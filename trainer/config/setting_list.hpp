#pragma once

#include <string>
#include <vector>

#include "trainer/config/component_schema.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// What `config` says, in lines of "train.key: value", in the order of describe_train(). Places of files and
/// of the program are left out: they may differ from host to host.
[[nodiscard]] std::vector<std::string> list_settings(TrainConfig config, const ComponentSchemas& schemas);

}  // namespace ddp::trainer
