#pragma once

#include <optional>
#include <vector>

#include "trainer/config/train_config.hpp"
#include "trainer/loop/report/reporter.hpp"
#include "trainer/loop/run_checkpoints.hpp"
#include "trainer/loop/run_evaluations.hpp"
#include "trainer/loop/run_model.hpp"
#include "trainer/loop/step/agreed_stop.hpp"
#include "trainer/loop/step/stop_request.hpp"
#include "trainer/loop/step/train_batches.hpp"
#include "trainer/loop/step/trained_time.hpp"
#include "trainer/loop/step_window.hpp"
#include "trainer/loop/training_course.hpp"
#include "trainer/loop/training_job.hpp"
#include "trainer/optim/schedules/schedule.hpp"

namespace ddp::trainer {

enum class Outcome {
  completed,
  stopped,  ///< on request; a training after the checkpoint that all ranks agreed upon
};

/// One rank's part in a training (or evaluation) from its first to its last step. Used by one thread, run
/// once.
class TrainingRun {
 public:
  explicit TrainingRun(TrainingJob job);
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  /// Trains or evaluates, and returns when that is done or stopped. Throws what the collectives, the dataset
  /// and the checkpoint store throw, CheckpointMismatch and NonFinite. After an exception the object must not
  /// be destroyed but left to the end of the process: its collectives may be half done.
  [[nodiscard]] Outcome run();

  /// For a run that has thrown: waits for the checkpoint in flight, no longer than a collective may take.
  void settle_checkpoint() noexcept { checkpoints_.settle(); }

 private:
  using Clock = TrainedTime::Clock;

  void prepare();
  void open_outputs();
  void open_train_data();
  void make_schedule();
  [[nodiscard]] Outcome train();
  [[nodiscard]] Outcome train_epoch();
  void train_step();
  Clock::duration await_copy();
  void tell_first_step();
  [[nodiscard]] std::vector<MicroBatch> next_batches();
  [[nodiscard]] bool checks_now() const;
  enum class CheckpointDue { no, yes };
  [[nodiscard]] Outcome finish_step(CheckpointDue by_the_clock);
  [[nodiscard]] Outcome finish_training();
  [[nodiscard]] Outcome stop();
  [[nodiscard]] Outcome evaluate_now(AtStake at_stake);
  void log();

  [[nodiscard]] ReportPlace report_place() const;

  TrainingJob job_;
  const TrainConfig& config_;
  Reporter reporter_;
  RunModel model_;
  TrainingCourse course_;
  RunCheckpoints checkpoints_;
  RunEvaluations evaluations_;
  std::optional<TrainBatches> batches_;
  std::optional<Schedule> schedule_;
  StepWindow window_;
  AgreedStop stop_;
  TrainedTime trained_;
  bool has_stepped_ = false;
};

}  // namespace ddp::trainer
