#pragma once

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/loop/report/reporter.hpp"
#include "trainer/loop/run_checkpoints.hpp"
#include "trainer/loop/run_model.hpp"
#include "trainer/loop/step/train_batches.hpp"
#include "trainer/loop/training_course.hpp"
#include "trainer/loop/training_job.hpp"

namespace ddp::trainer {

/// A checkpoint that this configuration cannot go on from: its tensors are not those of this model or
/// optimizer.
struct CheckpointMismatch : InvalidConfiguration {
  using InvalidConfiguration::InvalidConfiguration;
};

/// A run that has been built and has not begun.
struct NewRun {
  const TrainingJob& job;
  Reporter& reporter;
  RunModel& model;
  TrainBatches* batches;  ///< null where nothing is trained
  TrainingCourse& course;
  RunCheckpoints& checkpoints;
};

enum class Resumed { no, yes };

/// Brings a run to the state of the checkpoint that it goes on from, if there is one, and tells of it. A
/// collective. Throws CheckpointMismatch, and what find_checkpoint_to_resume() throws.
[[nodiscard]] Resumed resume(const NewRun& run);

}  // namespace ddp::trainer
