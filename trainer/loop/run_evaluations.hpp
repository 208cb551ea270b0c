#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ddp/trainer/dataset.hpp"
#include "trainer/loop/report/reporter.hpp"
#include "trainer/loop/run_model.hpp"
#include "trainer/loop/step/stop_request.hpp"
#include "trainer/loop/step/totals.hpp"
#include "trainer/loop/training_job.hpp"

namespace ddp::trainer {

/// The evaluations of a run's model on the test data. Used by one thread.
class RunEvaluations {
 public:
  /// All three must outlive this object.
  RunEvaluations(const TrainingJob& job, RunModel& model, Reporter& reporter)
      : job_(job), model_(model), reporter_(reporter) {}

  /// Opens the test data, unless it is open. A collective. Throws what open_data() throws.
  void open_test_data();

  /// Evaluates the model as it is at `place`, and tells of it. When a stop comes before it is done, it leaves
  /// everything as it was and returns nullopt. A collective. Throws what open_data() throws, and NonFinite.
  [[nodiscard]] std::optional<Totals> evaluate_at(const ReportPlace& place, AtStake at_stake);

  /// Whether the model was evaluated after `step`.
  [[nodiscard]] bool were_after(std::int64_t step) const { return evaluated_step_ == step; }

 private:
  [[nodiscard]] std::optional<Totals> measure(AtStake at_stake);
  void check_finite_at(std::int64_t step, const Totals& totals) const;

  const TrainingJob& job_;
  RunModel& model_;
  Reporter& reporter_;
  std::unique_ptr<Dataset> test_data_;
  std::int64_t evaluated_step_ = -1;  // the last one
};

}  // namespace ddp::trainer
