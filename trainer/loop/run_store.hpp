#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/checkpoint_saver.hpp"
#include "trainer/loop/report/reporter.hpp"
#include "trainer/loop/training_job.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// Opens the checkpoints in the run folder of `job`, which has one.
[[nodiscard]] CheckpointStore open_run_store(const TrainingJob& job);

/// Makes what writes this rank's part of the checkpoints there; null: it writes none. `job` must outlive it.
[[nodiscard]] std::unique_ptr<CheckpointSaver> make_run_saver(const TrainingJob& job,
                                                              const Strategy& strategy);

/// What is known of a checkpoint that was chosen.
struct ChosenCheckpoint {
  std::optional<BestScore> best = {};
  bool of_another_run = false;
};

/// Chooses what a run goes on from: a checkpoint of its own, wherever it began, or else the one that
/// checkpoint.path names; nullopt when there is neither. `fault_of` reads the checkpoint in a folder and
/// gives what is wrong with it; an empty text: it is taken. `reporter` tells of own checkpoints that are
/// passed over. For rank 0 only. Throws NoValidCheckpoint when there are some and none is whole.
[[nodiscard]] std::optional<ChosenCheckpoint> choose_checkpoint_to_resume(
    const TrainingJob& job, Reporter& reporter,
    const std::function<std::string(const std::filesystem::path&)>& fault_of);

}  // namespace ddp::trainer
