#include "trainer/loop/run_start.hpp"

#include <malloc.h>

#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/loop/state/initial_weights.hpp"

namespace ddp::trainer {
namespace {

bool may_resume(const TrainConfig& config) {
  return config.mode == Mode::evaluate || config.checkpoint.resume == Resume::automatic ||
         config.checkpoint.path;
}

void start_without_checkpoint(const NewRun& run) {
  const TrainConfig& config = run.job.config;
  if (config.initial_weights) {
    const auto read = load_initial_weights(run.model.strategy(), *config.initial_weights, run.job.group);
    run.reporter.note("starting from the weights of '" + read.string() + "'");
  } else if (config.mode == Mode::evaluate) {
    throw NoValidCheckpoint(
        "there is no checkpoint to evaluate: set train.checkpoint.path or train.model.weights");
  } else if (config.checkpoint.resume == Resume::automatic && run.job.environment.attempt > 0) {
    run.reporter.note("there is no checkpoint: starting from the beginning");
  }
}

}  // namespace

void start_run(const NewRun& run) {
  if (!may_resume(run.job.config) || resume(run) == Resumed::no) start_without_checkpoint(run);
  malloc_trim(0);  // gives back what the checkpoint that was read has left
}

}  // namespace ddp::trainer
