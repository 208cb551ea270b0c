#pragma once

#include <chrono>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

struct TopRequest {
  RunStore store;
  std::vector<RunPointer> chosen;  ///< empty: all of the store
  std::chrono::milliseconds interval{1000};
};

/// Shows runs on the whole terminal until the user quits or a signal ends it.
[[nodiscard]] Outcome show_top(TopRequest request, Context& context);

}  // namespace ddp::cli
