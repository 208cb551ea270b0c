#pragma once

#include "cli/launch/launcher.hpp"
#include "jobenv/record/ledger/ledger.hpp"

namespace ddp::cli {

/// A submission of one run, or of points of a sweep, as the ledger tells of it before the launcher is asked.
[[nodiscard]] event::SubmitIntent make_intent(const LaunchRequest& request, std::vector<std::string> dropped,
                                              Launcher& launcher, const Host& host);

/// Submits what the intent, which is on disk, has told of, and records the answer: between the two nobody can
/// say whether there is a job. A cancel that was recorded meanwhile found none, and is made up for. `lock`
/// keeps others from taking this submission for one that died. ExitCode::outcome_unknown: there may be a job.
[[nodiscard]] Expected<Submission> submit_once(const LaunchRequest& request, Attachment attachment,
                                               Launcher& launcher, const Host& host, LedgerWriter& ledger,
                                               int lock);

}  // namespace ddp::cli
