#pragma once

#include <torch/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "trainer/loop/report/reporter.hpp"
#include "trainer/loop/step/slowest_rank.hpp"
#include "trainer/loop/step/step_times.hpp"
#include "trainer/loop/step/totals.hpp"
#include "trainer/loop/training_job.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// What an update was made with and of.
struct UpdateMade {
  double learning_rate = 0;
  torch::Tensor gradient_norm;  ///< as TrainStep::update()
};

/// The steps since the last progress line: what they gave and took on this rank, and what all ranks make of
/// them together. Used by one thread.
class StepWindow {
 public:
  /// `job` must outlive this object.
  explicit StepWindow(const TrainingJob& job) : job_(job) {}

  /// Takes what a step gave. On CUDA it does not wait for the device.
  void add(std::span<const PassResult> passes, const UpdateMade& update);

  /// Takes what the same step took.
  void add(const StepTimes::Step& times) { times_.add(times); }

  /// Returns when the device is done with the steps.
  void await_device() const { (void)totals_.sum(); }

  /// Ends the window, of one step at least, and begins the next one. Returns what its steps gave over all
  /// ranks, and took on this one. `strategy` has made the passes. A collective.
  [[nodiscard]] TrainReport close(Strategy& strategy);

  /// Tells of the slowest rank of `report`, which close() has returned, if it holds the others up window
  /// after window; once for a rank.
  [[nodiscard]] std::optional<std::string> find_straggler(const TrainReport& report);

 private:
  [[nodiscard]] RankTime time_of_this_rank(const StepTimeSummary& times,
                                           std::chrono::duration<double> passes) const;

  const TrainingJob& job_;
  BatchTotals totals_;
  StepTimes times_;
  UpdateMade last_update_;
  StragglerWatch stragglers_;  // over all windows
};

}  // namespace ddp::trainer
