#pragma once

#include <set>
#include <string>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// The ids of the jobs of all submissions of a run that have had their answer, and of all that started before
/// its newest submission; none when its ledger cannot be read. A job that only a head behind the newest
/// submission has named is not among them: it may be that submission's own.
[[nodiscard]] std::set<std::string> load_recorded_jobs(const RunFolder& folder);

/// The ids of the jobs of all submissions whose intent and answer can be read. Of an answer without a token,
/// as a run alone has it, the intent stands before it, and nothing lost between them.
[[nodiscard]] std::set<std::string> load_answered_jobs(const RunFolder& folder);

}  // namespace ddp::cli
