#pragma once

#include "cli/store/run_state.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

/// A run together with what is known of it.
struct KnownRun {
  RunPointer pointer;
  RunStatus status;
};

}  // namespace ddp::cli
