#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/launch_plan_builder.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

/// Where a run is put, and from where it is started.
struct RunPlace {
  RunFolder folder;
  std::filesystem::path work_dir;    ///< absolute; where the programs run
  std::filesystem::path own_folder;  ///< of ddpsubmit's executable
  EnvMap submitter;                  ///< the environment of ddpsubmit
};

/// A run worked out in full, with nothing written yet.
struct PreparedRun {
  LaunchRequest request;
  PlanPaths paths;
  std::optional<std::string> script;  ///< what the launcher submits
  std::vector<std::string> dropped;   ///< names of variables that the job does not inherit
};

enum class FolderKind { fresh, existing };

/// A run that is on its way. While `submission.attachment` is open and this process lives, an attached run
/// goes on.
struct StartedRun {
  RunPointer pointer;
  Submission submission;
};

/// The folder of a new run: RUN_ROOT/NAME-xxxxxxxx, not made yet.
[[nodiscard]] RunFolder choose_folder(const RunSpec& spec, std::chrono::system_clock::time_point now);

/// Asks nothing outside and writes nothing.
[[nodiscard]] Expected<PreparedRun> prepare_run(RunSpec spec, RunPlace place, const Launcher& launcher,
                                                std::string token);

/// Programs, and what the launcher finds this machine to lack. Asks nobody and writes nothing.
[[nodiscard]] Preflight preflight(const PreparedRun& run, const Launcher& launcher);

/// Writes secrets, spec, script and plan into the run folder.
[[nodiscard]] Expected<void> save_run_files(const PreparedRun& run, const EnvMap& submitter);

/// What every `submit_intent` says of who submits, from where and to where.
[[nodiscard]] nlohmann::json origin_fields(const Launcher& launcher, const Host& host);

/// A cancel that was recorded while the run was being submitted found no job: it is made up for. To be called
/// when the job is on record.
void obey_early_cancel(const LaunchRequest& request, const Submission& submission, Launcher& launcher);

/// The fields of the ledger's `submitted`.
[[nodiscard]] nlohmann::json submitted_fields(std::string_view launcher, const Submission& submission,
                                              const Host& host);

/// The programs of one point of a sweep.
[[nodiscard]] PlanPaths paths_of_point(const RunSpec& point, const PreparedRun& sweep);

/// All that can be checked before a run is written: preflight, secrets, libraries of the trainer, run_root
/// (where a file is made and removed), and the launcher, which may ask the outside. All errors at once, or
/// the warnings.
[[nodiscard]] tl::expected<std::vector<std::string>, Errors> check_run(const PreparedRun& run,
                                                                       Launcher& launcher,
                                                                       const LauncherSeams& seams);

/// Writes the run folder and the pointer to it, and submits. The intent is on disk before the launcher is
/// called; when a fresh folder cannot be written until then, nothing of it stays. `lock` is that of
/// lock_submission, if the caller has it already; held until the answer is recorded.
[[nodiscard]] Expected<StartedRun> start_run(const PreparedRun& run, FolderKind kind, Attachment attachment,
                                             Launcher& launcher, const LauncherSeams& seams,
                                             FileDescriptor lock = {});

}  // namespace ddp::cli
