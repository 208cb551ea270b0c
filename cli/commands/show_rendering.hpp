#pragma once

#include "cli/commands/command.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Prints what `run` would submit: the script, or the launch plan when there is none. Writes nothing and asks
/// nobody.
[[nodiscard]] Outcome show_rendering(RunSpec spec, Context& context);

}  // namespace ddp::cli
