#pragma once

#include <filesystem>

#include "cli/spec/load_run_spec.hpp"
#include "cli/system/command_runner.hpp"

namespace ddp::cli {

/// Asks a trainer what it can be told, by running it with --components; each program once. It is looked for
/// like the trainer of a run: see locate_trainer. `runner` must outlive the result.
[[nodiscard]] SchemaSource ask_program(CommandRunner& runner, std::filesystem::path own_folder,
                                       std::filesystem::path work_dir, EnvMap environment);

}  // namespace ddp::cli
