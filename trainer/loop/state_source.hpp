#pragma once

#include "trainer/checkpoint/training_state.hpp"
#include "trainer/loop/run_model.hpp"
#include "trainer/loop/training_course.hpp"
#include "trainer/loop/training_job.hpp"

namespace ddp::trainer {

/// Makes the states that checkpoints of a training hold. Their tensors are shared with the training. Used by
/// one thread.
class StateSource {
 public:
  /// All three must outlive this object.
  StateSource(const TrainingJob& job, RunModel& model, const TrainingCourse& course)
      : job_(job), model_(model), course_(course) {}

  /// Makes the state as it is now; on rank 0 it is complete. A collective. Throws NonFinite.
  [[nodiscard]] TrainingState whole();

  /// Makes one without asking other ranks: of what this rank has. The random state of this rank
  /// stands for those of all.
  [[nodiscard]] TrainingState of_this_rank() const;

  /// Whether that is as large: this rank has all of the parameters and of the optimizer's state.
  [[nodiscard]] bool is_whole_here() const;

 private:
  const TrainingJob& job_;
  RunModel& model_;
  const TrainingCourse& course_;
};

}  // namespace ddp::trainer
