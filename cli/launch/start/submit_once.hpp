#pragma once

#include "cli/launch/launcher.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/ledger/ledger.hpp"

namespace ddp::cli {

/// A submission of one run, or of points of a sweep, as the ledger tells of it before the launcher is asked.
[[nodiscard]] event::SubmitIntent make_intent(const LaunchRequest& request, std::vector<std::string> dropped,
                                              Launcher& launcher, const Host& host);

/// The ledger's writer, and what keeps others from taking this submission for one that died.
struct OpenSubmission {
  LedgerWriter ledger;
  FileDescriptor lock;
};

/// `lock` is that of lock_submission, if the caller has it already. `naming`: how far the name of the
/// ledger's file has to be safe.
[[nodiscard]] Expected<OpenSubmission> open_submission(const RunFolder& folder, FileDescriptor lock,
                                                       Durability naming);

/// Submits what the intent, which is on disk, has told of, and records the answer: between the two nobody can
/// say whether there is a job. A cancel that was recorded meanwhile found none, and is made up for.
/// ExitCode::outcome_unknown: there may be a job.
[[nodiscard]] Expected<Submission> submit_once(const LaunchRequest& request, Attachment attachment,
                                               Launcher& launcher, const Host& host, OpenSubmission& open);

}  // namespace ddp::cli
