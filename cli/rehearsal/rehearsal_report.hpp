#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/rehearsal/checkpoint_interval.hpp"
#include "cli/rehearsal/configured_interval.hpp"
#include "cli/rehearsal/file_comparison.hpp"
#include "cli/store/metrics/checkpoint_records.hpp"
#include "cli/store/report/run_report.hpp"

namespace ddp::cli {

/// A signal that a run was sent, and how far its records said it was.
struct Strike {
  std::int64_t seen_step = 0;
  std::chrono::system_clock::time_point time = {};
};

/// The stop of the disturbed run. nullopt: not known.
struct StopReport {
  std::string signal;          ///< without "SIG"
  std::int64_t seen_step = 0;  ///< when it was sent
  std::optional<std::int64_t> last_step = {};
  std::optional<std::int64_t> lost_steps = {};  ///< done again after the restart
  std::optional<std::chrono::milliseconds> stopped_after = {};
  std::optional<std::chrono::milliseconds> stepped_again_after = {};  ///< from the new submission on
};

/// The failure of the disturbed run. Times as in AttemptReport.
struct KillReport {
  int rank = 0;
  std::int64_t seen_step = 0;
  std::optional<std::int64_t> last_step = {};  ///< of the rank
  std::optional<std::int64_t> lost_steps = {};
  std::optional<std::chrono::milliseconds> detected_after = {};
  std::optional<std::chrono::milliseconds> stepped_again_after = {};
};

enum class MtbfSource { option, standard };

/// What a rehearsal has found. Times of steps and checkpoints are those of the undisturbed run. What follows
/// `result` is known of a training alone.
struct RehearsalReport {
  int ranks = 0;
  int ranks_of_job = 0;
  std::int64_t steps = 0;
  std::uint64_t seed = 0;
  StopReport stop = {};
  KillReport kill = {};
  ResultComparison result = {};
  std::int64_t steps_of_job = 0;
  std::chrono::duration<double> step{};
  std::optional<CheckpointCost> checkpoint = {};      ///< nullopt: none was written beside the training
  std::optional<ConfiguredInterval> configured = {};  ///< nullopt: it was a command
  std::chrono::seconds mtbf{};
  MtbfSource mtbf_source = MtbfSource::standard;

  /// nullopt: what a checkpoint costs is not known.
  [[nodiscard]] std::optional<FailureCosts> costs() const;
};

/// `resubmitted`: when the second submission of `run` was made. `run` has its report.
[[nodiscard]] StopReport report_stop(const RunStatus& run, const TrainingHistory& history,
                                     const Strike& strike, std::chrono::system_clock::time_point resubmitted);

/// Of the first attempt of `report`, whose rank `rank` was killed.
[[nodiscard]] KillReport report_kill(const RunReport& report, int rank, const Strike& strike);

/// Of a step of attempt 0, the first one left out: it sets up what the others use. nullopt: none was told.
[[nodiscard]] std::optional<std::chrono::duration<double>> time_of_step(const TrainingHistory& history);

/// The interval to train with: Daly's, but no shorter than a step, or than the write of a checkpoint, which
/// the next one would have to wait for.
[[nodiscard]] std::optional<std::chrono::duration<double>> recommend_interval(const RehearsalReport& report);

/// "train.checkpoint.every: 8m27s": in the whole seconds that the key takes, one at least.
[[nodiscard]] std::string render_interval_key(std::chrono::duration<double> interval);

}  // namespace ddp::cli
