#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

#include "ddp/jobenv/error.hpp"
#include "trainer/config/component_schema.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Reads and checks `train:` and `rendezvous:` of a YAML file; its other sections belong to ddpsubmit and are
/// not looked at. Relative paths in the file start at its folder, `~/` stands for `home`. All errors of these
/// sections are returned, in the order of their places.
[[nodiscard]] tl::expected<TrainConfig, Errors> load_train_config(
    const std::filesystem::path& file, int world_size, const std::string& home,
    const ComponentSchemas& schemas = bundled_schemas());

}  // namespace ddp::trainer
