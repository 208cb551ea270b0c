#pragma once

#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/connection/host_pool.hpp"

namespace ddp::cli {

/// What hosts would start for the command of a run whose folder they share: an error for each host that lacks
/// the program of the active Python environment, which the run names by its path; a warning where the hosts
/// find another program in their PATH than this machine, or do not get its PYTHONPATH. `submitter` is the
/// environment of ddpsubmit. Set-up lines may change all of it: nothing is said then. `hosts` go with
/// `targets`.
[[nodiscard]] Preflight check_programs(const LaunchRequest& request, const EnvMap& submitter,
                                       const std::vector<SshTarget>& targets,
                                       const std::vector<Expected<RemoteHost*>>& hosts);

}  // namespace ddp::cli
