#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// The processes of this host that are ranks of the run, or that its ranks have started, by DDPSUBMIT_RUN_DIR
/// and DDPSUBMIT_RANK in their environment, sorted by number. Not the caller and those that it comes from,
/// nor those of other users.
[[nodiscard]] std::vector<int> find_rank_processes(const std::string& run_dir);

/// Where head has died, agents and guards end what it has started, in less than this.
inline constexpr std::chrono::seconds kEndPatience{10};

/// Waits until there are none, `patience` at most. The error, with ExitCode::still_running, names those that
/// are left.
[[nodiscard]] Expected<void> await_no_rank_processes(const std::string& run_dir,
                                                     std::chrono::milliseconds patience);

}  // namespace ddp
