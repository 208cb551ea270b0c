#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/launch/plan/prepared_run.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

enum class FolderKind { fresh, existing };

/// A run that is on its way. While `submission.attachment` is open and this process lives, an attached run
/// goes on.
struct StartedRun {
  RunPointer pointer;
  Submission submission;
};

/// Writes secrets, spec, script and plan into the run folder.
[[nodiscard]] Expected<void> save_run_files(const PreparedRun& run, const EnvMap& submitter);

/// What every `submit_intent` says of who submits, from where and to where.
[[nodiscard]] nlohmann::json origin_fields(Launcher& launcher, const Host& host);

/// A cancel that was recorded while the run was being submitted found no job: it is made up for. To be called
/// when the job is on record.
void obey_early_cancel(const LaunchRequest& request, const Submission& submission, Launcher& launcher);

/// What the pointer to a run says of its age: a run that is submitted again stays as old as it was.
[[nodiscard]] std::chrono::system_clock::time_point created_at(const RunFolder& folder, const RunStore& store,
                                                               Clock& clock);

/// The fields of the ledger's `submitted`.
[[nodiscard]] nlohmann::json submitted_fields(std::string_view launcher, const Submission& submission,
                                              const Host& host);

/// Writes the run folder and the pointer to it, and submits. The intent is on disk before the launcher is
/// called; when a fresh folder cannot be written until then, nothing of it stays. `lock` is that of
/// lock_submission, if the caller has it already; held until the answer is recorded.
[[nodiscard]] Expected<StartedRun> start_run(const PreparedRun& run, FolderKind kind, Attachment attachment,
                                             Launcher& launcher, const LauncherSeams& seams,
                                             FileDescriptor lock = {});

}  // namespace ddp::cli
