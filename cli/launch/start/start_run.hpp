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

/// Writes secrets, spec, script and plan into the run folder. Not synced.
[[nodiscard]] Expected<void> save_run_files(const PreparedRun& run, const EnvMap& submitter);
/// The paths of those files that exist, and of the run folder. A rerun needs them, so they are synced
/// together with the intent.
[[nodiscard]] std::vector<std::filesystem::path> run_files(const RunFolder& folder);

/// The pointer to a run that is about to be submitted. A run that is submitted again stays as old as it was.
[[nodiscard]] RunPointer make_pointer(const LaunchRequest& request, Launcher& launcher, const RunStore& store,
                                      Clock& clock);

/// Leaves nothing of a run that was never submitted.
void discard_run(const RunFolder& folder, const RunStore& store);

/// Writes the run folder and the pointer to it, and submits. The intent is on disk before the launcher is
/// called; when a fresh folder cannot be written until then, nothing of it stays. `lock` is that of
/// lock_submission, if the caller has it already; held until the answer is recorded.
[[nodiscard]] Expected<StartedRun> start_run(const PreparedRun& run, FolderKind kind, Attachment attachment,
                                             Launcher& launcher, const LauncherSeams& seams,
                                             FileDescriptor lock = {});

}  // namespace ddp::cli
