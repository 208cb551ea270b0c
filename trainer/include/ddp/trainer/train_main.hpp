#pragma once

#include "ddp/trainer/components.hpp"

namespace ddp::trainer {

/// The whole of a trainer's main: ddptrain, with `own` besides its models and datasets. A program that calls
/// it is started by ddpsubmit under `train.program`.
///
///     int main(int argc, char** argv) {
///       ddp::trainer::train_main(argc, argv, {.models = {{my_schema(), make_my_model}}});
///     }
///
/// An exception of a model or dataset of `own` ends the rank with 1, InvalidConfiguration with 3. Ends the
/// process, with the exit codes of docs/trainer.md, and without the destructors of static objects:
/// those of LibTorch take longer than a short run. An executable that links it has its heap set up before the
/// constructors of its libraries run; a shared library cannot link it.
[[noreturn]] void train_main(int argc, char** argv, const Components& own = {});

}  // namespace ddp::trainer
