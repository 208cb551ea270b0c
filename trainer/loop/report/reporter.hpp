#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainer/cuda/device_use.hpp"
#include "trainer/loop/report/metrics_sink.hpp"
#include "trainer/loop/report/progress_bar.hpp"
#include "trainer/loop/step/slowest_rank.hpp"
#include "trainer/loop/step/step_times.hpp"
#include "trainer/loop/step/totals.hpp"

namespace ddp::trainer {

/// Where a run is. Steps and epochs count from 1 here.
struct ReportPlace {
  std::int64_t step = 0;
  std::int64_t total_steps = 0;
  std::int64_t epoch = 0;
  std::chrono::duration<double> trained = {};  ///< that the attempt has spent on its steps
};

/// What the steps since the last progress line gave, over all ranks, and took, on this one.
struct TrainReport {
  Totals totals;
  StepTimeSummary times;
  double learning_rate = 0;                                       ///< of the last step
  std::optional<double> gradient_norm;                            ///< of the last step, before it was clipped
  std::optional<StepParts> parts;                                 ///< of a step, on the CPU
  std::optional<std::chrono::nanoseconds> exposed_communication;  ///< of a step, in the mean
  std::optional<SlowestRank> slowest;                             ///< of several ranks
  std::vector<TimedRank> ranks;                                   ///< as ranks_to_record tells
  std::optional<DeviceUse> device;                                ///< of this rank, where it is a GPU
};

/// What a checkpoint has cost.
struct CheckpointCost {
  std::uint64_t bytes = 0;
  double stall_milliseconds = 0;   ///< that the training waited
  double write_milliseconds = 0;   ///< tidying up before and after it included
  std::optional<double> slowdown;  ///< time of a step beside the write over that of a step without; if known
};

/// Tells of the training: lines on stdout for people, records for programs (docs/trainer.md has their keys).
/// On a terminal the last line is a progress bar. The only thing in the trainer that prints.
class Reporter {
 public:
  /// A reporter that says nothing, for all ranks but 0.
  Reporter() = default;

  /// Prints, and hands each record to all sinks. `attempt` is part of every record.
  Reporter(std::vector<std::unique_ptr<MetricsSink>> sinks, int attempt);

  Reporter(Reporter&& other) noexcept;
  Reporter& operator=(Reporter&& other) noexcept;
  ~Reporter();

  void note(const std::string& text);
  /// Begins the progress bar, where there is a terminal.
  void begin(const ReportPlace& place);
  /// Moves the bar; cheap, for every step.
  void stepped(const ReportPlace& place);
  /// Of the attempt.
  void first_step(const ReportPlace& place);
  void trained(const ReportPlace& place, const TrainReport& report);
  /// `taken`: by the evaluation.
  void evaluated(const ReportPlace& place, const Totals& totals, std::chrono::duration<double> taken);
  void checkpointed(const ReportPlace& place, const CheckpointCost& cost);
  /// A checkpoint that was lost. `fate` says how far it got, and ends as `reason` begins.
  void checkpoint_failed(const ReportPlace& place, const std::string& fate, const std::string& reason);

 private:
  void print(const std::string& line);
  void draw_bar(ProgressBar::Clock::time_point now);
  void write(const MetricsRecord& record);

  bool silent_ = true;
  int attempt_ = 0;
  std::vector<std::unique_ptr<MetricsSink>> sinks_;
  std::optional<ProgressBar> bar_;
  std::int64_t bar_step_ = 0;
  ProgressBar::Clock::time_point bar_drawn_;
};

}  // namespace ddp::trainer
