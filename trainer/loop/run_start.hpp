#pragma once

#include "trainer/loop/resume.hpp"

namespace ddp::trainer {

/// Gives a run the state that it begins with: that of a checkpoint, if it goes on from one, else that of its
/// initial weights or of a new model. A collective. Throws what resume() and load_initial_weights() throw,
/// and NoValidCheckpoint when there is nothing to evaluate.
void start_run(const NewRun& run);

}  // namespace ddp::trainer
