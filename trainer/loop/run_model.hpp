#pragma once

#include <memory>
#include <optional>

#include "ddp/trainer/model.hpp"
#include "ddp/trainer/sync_batch_norm.hpp"
#include "trainer/loop/step/train_step.hpp"
#include "trainer/loop/training_job.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// The model of a run: how the ranks share the work on it and, in a training, what updates it. Used by one
/// thread.
class RunModel {
 public:
  /// `job` must outlive this object.
  explicit RunModel(const TrainingJob& job) : job_(job), config_(job.config) {}
  RunModel(const RunModel&) = delete;
  RunModel& operator=(const RunModel&) = delete;

  /// Builds all of it; to be called once and before what follows. The constructor does not, because an
  /// exception in it would destroy parts whose collectives may be half done. A collective.
  void build();

  [[nodiscard]] Model& module() const { return *model_; }
  [[nodiscard]] Strategy& strategy() const { return *strategy_; }
  [[nodiscard]] Optimizer& optimizer() const { return *optimizer_; }  ///< in a training
  [[nodiscard]] TrainStep& train_step() { return *train_step_; }      ///< likewise

 private:
  void make_updates();
  [[nodiscard]] std::shared_ptr<Model> new_model() const;

  const TrainingJob& job_;
  const TrainConfig& config_;
  std::shared_ptr<Model> model_;
  std::optional<SyncBatchNorm> sync_batch_norm_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Optimizer> optimizer_;  // where there is training
  std::optional<TrainStep> train_step_;   // likewise
};

}  // namespace ddp::trainer
