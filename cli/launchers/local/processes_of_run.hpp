#pragma once

#include <string>

#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {

/// The command that shows the processes of a run on this machine.
[[nodiscard]] inline std::string find_processes_of(const std::string& run_dir) {
  return "pgrep -af -- " + quote_for_shell("--run-dir " + run_dir);
}

}  // namespace ddp::cli
