#pragma once

#include <set>
#include <string>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// The ids of the jobs of all submissions of a run that have had their answer; none when its ledger cannot be
/// read. A job that only its own head has named is not among them.
[[nodiscard]] std::set<std::string> load_recorded_jobs(const RunFolder& folder);

}  // namespace ddp::cli
