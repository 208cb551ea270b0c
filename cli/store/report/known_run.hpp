#pragma once

#include <filesystem>

#include "cli/store/metrics/training_progress.hpp"
#include "cli/store/report/run_report.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/source_record.hpp"
#include "cli/store/state/run_state.hpp"
#include "cli/store/sweep_record.hpp"
#include "jobenv/record/latest_checkpoint.hpp"
#include "jobenv/record/live/live_record.hpp"

namespace ddp::cli {

/// A run together with what is known of it.
struct KnownRun {
  RunPointer pointer;
  RunStatus status;
  std::optional<TrainingProgress> progress = {};    ///< as last told, by whichever attempt
  std::optional<LiveRecord> live = {};              ///< of a run that has ranks now
  std::optional<LatestCheckpoint> checkpoint = {};  ///< of a run of the bundled trainer
  bool requeued_at_limit = false;                   ///< the time limit ends its job, not the run
  bool cause_printed = false;  ///< whether the rank that the cause names wrote to its stdout
  /// What a rank has printed that explains a suspected hang: it has failed, and does not end.
  std::optional<Cause> printed = {};
  bool stderr_shown = false;             ///< whether the user has just seen the end of the cause's stderr
  std::optional<RunReport> report = {};  ///< of a run that has had an attempt
  std::optional<LaunchPlan> plan = {};   ///< for who describes it
  std::filesystem::path output = {};     ///< for who describes it: the files of a command; empty: no folder
  std::optional<SourceRecord> source = {};  ///< for who describes it; nullopt: nothing was recorded
  std::filesystem::path event_files = {};   ///< of TensorBoard, their folder; empty: there is none
  std::optional<SweepRecord> sweep = {};    ///< nullopt: a single run, or a point of a sweep
  std::vector<KnownRun> points = {};        ///< of a sweep, in order
};

/// Whether the run is a program under `command:`, not a training; false while its plan is not loaded.
[[nodiscard]] bool is_command(const KnownRun& run);

/// The step that a training has come to: metrics.jsonl has only those that are logged, live.json and the end
/// of an attempt tell its last one, be it behind what an earlier attempt had logged. 0: none is known.
[[nodiscard]] std::int64_t reached_step(const KnownRun& run);

/// The last step of the newest attempt where that has not logged one, and an earlier one has.
[[nodiscard]] std::optional<std::int64_t> unlogged_step(const KnownRun& run);

/// The step that a living rank has come to. Ranks are looked at every few seconds, and metrics.jsonl may tell
/// of a later step: then all of them are taken to have moved on as far.
[[nodiscard]] std::optional<std::uint64_t> step_of(const KnownRun& run, const LiveRank& rank);

/// Adds what is known of the ranks that live.
void add_live(KnownRun& run);

/// Phase and step of the ranks that live, into the table of the newest attempt.
void fill_in_live_ranks(KnownRun& run);

/// Adds the report of the run, or those of its points. Reads all of metrics.jsonl.
void add_report(KnownRun& run, std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
