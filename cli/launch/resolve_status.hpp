#pragma once

#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/store/known_run.hpp"

namespace ddp::cli {

/// What is known of each run: its records, and for a run without an end in them, what the launcher sees. One
/// question a launcher, however many runs. A folder that is gone gives RunState::unknown. Secrets of a run
/// whose head died are removed.
[[nodiscard]] std::vector<KnownRun> resolve_runs(const std::vector<RunPointer>& pointers,
                                                 const LauncherSeams& seams);

[[nodiscard]] KnownRun resolve_run(const RunPointer& pointer, const LauncherSeams& seams);

/// The records alone; asks nobody.
[[nodiscard]] KnownRun load_recorded_run(const RunPointer& pointer);

}  // namespace ddp::cli
