#pragma once

#include <set>
#include <string>
#include <vector>

namespace ddp {

/// The processes of this host that are ranks of runs in these folders, or that such ranks have started, by
/// DDPSUBMIT_RUN_DIR and DDPSUBMIT_RANK in their environment, sorted by number. Not the caller and those that
/// it comes from, nor those of other users.
[[nodiscard]] std::vector<int> find_rank_processes(const std::set<std::string>& run_dirs);

/// The folders of the runs that have such processes here.
[[nodiscard]] std::set<std::string> find_runs_with_ranks();

}  // namespace ddp
