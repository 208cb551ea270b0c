#pragma once

#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/connection/host_pool.hpp"

namespace ddp::cli {

/// What hosts would start for the command of a run. Of hosts that share its folder: an error for each that
/// lacks the program of the active Python environment, which the run names by its path, or that does not
/// answer; a warning where they find another program in their PATH than this machine, or do not get its
/// PYTHONPATH. Set-up lines may change that, so nothing is said of it then. In each case a warning where the
/// active environment is not used. `submitter` is the environment of ddpsubmit. `hosts` go with `targets`.
[[nodiscard]] Preflight check_programs(const LaunchRequest& request, const EnvMap& submitter,
                                       const std::vector<SshTarget>& targets,
                                       const std::vector<Expected<RemoteHost*>>& hosts);

}  // namespace ddp::cli
