#pragma once

#include "cli/commands/command.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Prints where each line of the script of `spec` comes from, and each value that no line shows. A launcher
/// without a script has values alone.
[[nodiscard]] Outcome explain_run(RunSpec spec, Context& context);

}  // namespace ddp::cli
