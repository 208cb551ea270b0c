#pragma once

#include <set>
#include <string>

#include "cli/system/system.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Puts on record that the submissions `tokens` of a run are to be cancelled, "" being whichever is the
/// newest: its head finds that also where nobody can tell it.
[[nodiscard]] Expected<void> record_cancel(const RunFolder& folder, const std::set<std::string>& tokens,
                                           const System& system);

}  // namespace ddp::cli
