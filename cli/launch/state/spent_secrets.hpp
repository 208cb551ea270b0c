#pragma once

#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// Removes the file of secrets of a run that has ended, or of the points of a sweep that have: for whoever is
/// first to know that state. Head does so at the end of a run, where there is one. Those of a new submission
/// stay.
void remove_spent_secrets(const RunPointer& pointer, const RunStatus& status);

}  // namespace ddp::cli
