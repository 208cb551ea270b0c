#pragma once

#include "cli/commands/command.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

/// Removes the folder of a run that ddpsubmit has made for itself, here and on hosts, and the pointer to it;
/// run_root, too, when nothing else is in it. What cannot be removed stays.
void remove_run(const RunPointer& pointer, const Context& context);

}  // namespace ddp::cli
