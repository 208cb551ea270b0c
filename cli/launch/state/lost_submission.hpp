#pragma once

#include <functional>
#include <span>
#include <string>

#include "cli/launch/launcher.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

/// A launcher by its name; nullptr: there is none.
using LauncherOf = std::function<Launcher*(const std::string& name)>;

/// Completes the records of runs whose ledger has the intent of a submission and no answer, because the
/// ddpsubmit that made it died: finds their jobs by their tokens, one question a launcher, and records what
/// it found as `submitted`, or, when there is surely no job, as `submit_refused`. Two that do this at once
/// are harmless. While a submission is still going on, its run is queued. When nobody can tell, the run stays
/// as it is, with the reason as its message.
void complete_lost_submissions(std::span<const RunPointer> runs, std::span<RunStatus> states,
                               const LauncherSeams& seams, const LauncherOf& launcher_of);

}  // namespace ddp::cli
