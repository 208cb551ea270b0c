#pragma once

#include <vector>

#include "cli/launch/start/start_run.hpp"

namespace ddp::cli {

/// A sweep that is on its way, the whole of it or a part.
struct StartedSweep {
  StartedRun run;                     ///< the first submission
  std::vector<std::string> job_ids;   ///< of all submissions, in order
  std::optional<Error> interruption;  ///< why the points behind the last submission were not submitted
};

/// What `start_sweep` submits: `points` are the numbers of the points that `run.request.spec.points` are.
struct SweepOrder {
  PreparedRun run;
  std::vector<int> points;
  FolderKind kind = FolderKind::fresh;
  std::string after;  ///< the job that the first submission has to wait for; empty: none
};

/// Writes the folder of the sweep and those of its points, and submits them in as few parts as the launcher
/// takes, each with a token of its own: its intent is on disk before the launcher is called, and its answer
/// before the next one. An error: nothing was submitted. `lock` is that of lock_submission, if the caller has
/// it already.
[[nodiscard]] Expected<StartedSweep> start_sweep(SweepOrder order, Attachment attachment, Launcher& launcher,
                                                 const LauncherSeams& seams, FileDescriptor lock = {});

}  // namespace ddp::cli
