#pragma once

#include <optional>

#include "trainer/checkpoint/checkpoint_reader.hpp"
#include "trainer/checkpoint/training_state.hpp"
#include "trainer/loop/report/reporter.hpp"
#include "trainer/loop/training_job.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// The checkpoint that a run goes on from, compared with its manifest.
struct FoundCheckpoint {
  TrainingState state;  ///< without `model` and `optimizer` where `files` have them
  /// Where each rank reads what it keeps; nullopt: rank 0 has read all of it for all.
  std::optional<CheckpointReader> files = {};
};

/// Rank 0 chooses: a checkpoint of its own run, wherever it began, or else the one that checkpoint.path
/// names; nullopt when there is neither. `reporter` tells of own checkpoints that are passed over. Where
/// ranks hold shares of the parameters each of them checks a part of the files, and has to see them; else
/// only rank 0 has to. Where they hold shares, rank 0 alone reads the headers of all files, and rank 0 alone
/// knows the score of BEST. A checkpoint that is deleted meanwhile counts as damaged. A collective. Throws
/// NoValidCheckpoint on rank 0 when there are some and none is whole, InvalidConfiguration on all ranks when
/// one of them does not see the files.
[[nodiscard]] std::optional<FoundCheckpoint> find_checkpoint_to_resume(const TrainingJob& job,
                                                                       Held parameters, Reporter& reporter);

}  // namespace ddp::trainer
