#pragma once

#include "cli/store/metrics/training_progress.hpp"
#include "cli/store/report/run_report.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"
#include "cli/store/sweep_record.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::cli {

/// A run together with what is known of it.
struct KnownRun {
  RunPointer pointer;
  RunStatus status;
  std::optional<TrainingProgress> progress = {};    ///< as last told, by whichever attempt
  std::optional<LatestCheckpoint> checkpoint = {};  ///< of a run of the bundled trainer
  bool cause_printed = false;             ///< whether the rank that the cause names wrote to its stdout
  std::optional<RunReport> report = {};   ///< of a run that has had an attempt
  std::optional<SweepRecord> sweep = {};  ///< nullopt: a single run, or a point of a sweep
  std::vector<KnownRun> points = {};      ///< of a sweep, in order
};

/// The step that a training has come to: metrics.jsonl has only those that are logged, the end of an attempt
/// tells its last one, be it behind what an earlier attempt had logged. 0: none is known.
[[nodiscard]] std::int64_t reached_step(const KnownRun& run);

/// The last step of the newest attempt where that has ended before it logged one, and an earlier one has
/// logged.
[[nodiscard]] std::optional<std::int64_t> unlogged_step(const KnownRun& run);

/// Adds the report of the run, or those of its points. Reads all of metrics.jsonl.
void add_report(KnownRun& run, std::chrono::system_clock::time_point now);

}  // namespace ddp::cli
