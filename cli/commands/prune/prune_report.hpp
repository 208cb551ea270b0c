#pragma once

#include "cli/commands/prune/prune_action.hpp"

namespace ddp::cli {

enum class PruneMode {
  preview,  ///< nothing is deleted
  act,
};

/// What is, or would be, deleted: ddpsubmit.prune.v1, and a table.
[[nodiscard]] Report report_prune(const PruneResult& result, std::size_t gone, PruneMode mode,
                                  std::chrono::system_clock::time_point now);

/// What else there is to say, one line each: what is kept and why, what stays on hosts, what to do next.
[[nodiscard]] std::vector<std::string> prune_notes(const PruneResult& result, std::size_t gone,
                                                   PruneMode mode, PruneTarget target);

}  // namespace ddp::cli
