#pragma once

#include <optional>
#include <string>

#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// "set-up failed at 'module load cuda': module: command not found". `output`: the end of what the batch
/// script has printed, in which its ERR trap names the line; `script`: the batch script. nullopt: it names
/// none, or another line than that of the command that failed. Pure.
[[nodiscard]] std::optional<std::string> describe_setup_failure(const std::string& output,
                                                                const std::string& script);

/// The same of a run whose job has ended before ddp-agent started; nullopt also when its files cannot be
/// read.
[[nodiscard]] std::optional<std::string> find_setup_failure(const RunStatus& run);

}  // namespace ddp::cli
