#pragma once

#include "cli/commands/command.hpp"
#include "cli/launch/plan/prepared_run.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What `run` would submit, in a folder that stands for any.
[[nodiscard]] Expected<PreparedRun> prepare_shown_run(RunSpec spec, Launcher& launcher,
                                                      const Context& context);

/// Prints what `run` would submit: the script, or the launch plan when there is none. Writes nothing and asks
/// nobody.
[[nodiscard]] Outcome show_rendering(RunSpec spec, Context& context);

}  // namespace ddp::cli
