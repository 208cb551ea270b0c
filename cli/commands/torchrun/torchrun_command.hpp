#pragma once

#include <string>
#include <vector>

#include "cli/commands/torchrun/torchrun_line.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Program and arguments of each rank, as torchrun starts it. What cannot be said so is added to `errors`.
[[nodiscard]] std::vector<std::string> command_of_torchrun(const TorchrunLine& line,
                                                           const EnvMap& environment, Errors& errors);

/// The name of the run when none is given: that of the script, without its ending.
[[nodiscard]] std::string run_name_of_script(const std::string& script);

}  // namespace ddp::cli
