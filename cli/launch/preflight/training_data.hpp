#pragma once

#include <optional>

#include "cli/spec/run_spec.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// What a training on this machine in `folder` would not find, data or the checkpoint it begins with, at the
/// key that names its place. nullopt also when lines of environment.setup come first, which may bring it.
/// Looks for the files, opens none.
[[nodiscard]] std::optional<Error> find_missing_training_data(const RunSpec& spec, const RunFolder& folder);

}  // namespace ddp::cli
