#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ddp/trainer/invalid_configuration.hpp"
#include "ddp/trainer/sync_batch_norm.hpp"
#include "trainer/checkpoint/training_state.hpp"
#include "trainer/config/train_config.hpp"
#include "trainer/loop/report/reporter.hpp"
#include "trainer/loop/run_checkpoints.hpp"
#include "trainer/loop/step/agreed_stop.hpp"
#include "trainer/loop/step/slowest_rank.hpp"
#include "trainer/loop/step/step_times.hpp"
#include "trainer/loop/step/stop_request.hpp"
#include "trainer/loop/step/totals.hpp"
#include "trainer/loop/step/train_batches.hpp"
#include "trainer/loop/step/train_step.hpp"
#include "trainer/loop/step/trained_time.hpp"
#include "trainer/loop/training_course.hpp"
#include "trainer/loop/training_job.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/optim/schedules/schedule.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// A checkpoint that this configuration cannot go on from: its tensors are not those of this model or
/// optimizer.
struct CheckpointMismatch : InvalidConfiguration {
  using InvalidConfiguration::InvalidConfiguration;
};

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
  ~TrainingRun();

  /// Throws what the collectives, the dataset and the checkpoint store throw, CheckpointMismatch and
  /// NonFinite. After an exception the object must not be destroyed but left to the end of the process: its
  /// collectives may be half done.
  [[nodiscard]] Outcome run();

  /// For a run that has thrown: waits for the checkpoint in flight, no longer than a collective may take.
  void settle_checkpoint() noexcept {
    if (checkpoints_) checkpoints_->settle();
  }

 private:
  void prepare();
  void open_outputs();
  void build_model();
  void make_updates();
  void open_train_data();
  void make_schedule();
  enum class Resumed { no, yes };
  [[nodiscard]] Resumed resume();
  void start();
  void load(const TrainingState& state);
  void settle_buckets(const TrainingState& state);
  void load_place(const TrainingState& state);
  void load_rng(const TrainingState& state);
  [[nodiscard]] std::int64_t batch_size_of(const TrainingState& state) const;
  [[nodiscard]] EpochShape shape_of(const TrainingState& state) const;
  [[nodiscard]] std::string advice(const TrainingState& state) const;
  [[nodiscard]] std::string resumption_of(const TrainingState& state) const;
  [[nodiscard]] Outcome train();
  [[nodiscard]] Outcome train_epoch();
  void train_step();
  TrainedTime::Clock::duration await_copy();
  void tell_first_step();
  void verify();
  [[nodiscard]] std::shared_ptr<Model> new_model() const;
  [[nodiscard]] std::unique_ptr<Dataset> open_data(Split split) const;
  [[nodiscard]] std::vector<MicroBatch> next_batches();
  [[nodiscard]] bool checks_now() const;
  enum class CheckpointDue { no, yes };
  [[nodiscard]] Outcome finish_step(CheckpointDue by_the_clock);
  [[nodiscard]] Outcome finish_training();
  [[nodiscard]] Outcome stop();
  [[nodiscard]] Outcome evaluate_now(AtStake at_stake);
  void log();

  [[nodiscard]] bool primary() const { return job_.group.rank() == 0; }
  [[nodiscard]] ReportPlace report_place() const;
  [[nodiscard]] TrainingState state();
  [[nodiscard]] TrainingState state_of_this_rank() const;

  TrainingJob job_;
  const TrainConfig& config_;
  Reporter reporter_;
  std::optional<RunCheckpoints> checkpoints_;
  std::shared_ptr<Model> model_;
  std::optional<SyncBatchNorm> sync_batch_norm_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Optimizer> optimizer_;  // where there is training
  std::optional<TrainStep> train_step_;   // likewise
  std::optional<TrainBatches> batches_;
  std::unique_ptr<Dataset> test_data_;  // where the run evaluates
  std::optional<Schedule> schedule_;
  TrainingCourse course_;
  AgreedStop stop_;

  std::int64_t evaluated_step_ = -1;
  TrainedTime trained_;
  bool has_stepped_ = false;
  BatchTotals window_;  // of the steps since the last progress line
  StepTimes times_;     // likewise
  StragglerWatch stragglers_;
  double learning_rate_ = 0;     // of the last step
  torch::Tensor gradient_norm_;  // of the last step, on the device
};

}  // namespace ddp::trainer
