#pragma once

#include <optional>

#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/loop/report/reporter.hpp"
#include "trainer/loop/training_job.hpp"

namespace ddp::trainer {

/// Opens the checkpoints in the run folder of `job`, which has one.
[[nodiscard]] CheckpointStore open_run_store(const TrainingJob& job);

/// Reads what a run goes on from: a checkpoint of its own, wherever it began, or else the one that
/// checkpoint.path names. Returns nullopt when there is neither. `reporter` tells of own checkpoints that are
/// passed over. For rank 0 only. Throws NoValidCheckpoint when there are some and none is whole.
[[nodiscard]] std::optional<TrainingState> read_checkpoint_to_resume(const TrainingJob& job,
                                                                     Reporter& reporter);

}  // namespace ddp::trainer
