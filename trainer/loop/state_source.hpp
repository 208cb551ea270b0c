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

  /// Makes the state as it is now, as each rank writes it: rank 0 all of it or, where the ranks share the
  /// parameters out, all but the rows of others; other ranks only their rows. A collective. Throws NonFinite.
  [[nodiscard]] TrainingState take();

  /// Makes one without asking other ranks: of what this rank has. The random state of this rank
  /// stands for those of all.
  [[nodiscard]] TrainingState of_this_rank() const;

  /// Whether that is as large.
  [[nodiscard]] bool is_known_here() const;

 private:
  const TrainingJob& job_;
  RunModel& model_;
  const TrainingCourse& course_;
};

}  // namespace ddp::trainer
