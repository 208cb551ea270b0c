#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/connection/host_pool.hpp"

namespace ddp::cli {

/// Returns an error for a sharded training on several hosts that share no folder, because each rank must see
/// the parts of a checkpoint that other ranks write. nullopt: the training can start. Contacts no host.
[[nodiscard]] std::optional<Error> check_parts_of_checkpoints(const LaunchRequest& request);

/// Whether `host` does not answer, and enough of `hosts` do to begin without it. One that refuses this user
/// is there.
[[nodiscard]] bool can_do_without(const Expected<RemoteHost*>& host,
                                  const std::vector<Expected<RemoteHost*>>& hosts, const LaunchPlan& plan);

/// Connects to all hosts of a run at once, and looks whether each has this version of the agent and sees the
/// folder of the run, or can have one of its own. Every host that is not as it should be is named, with the
/// reason; those that the run can do without, as a warning.
[[nodiscard]] Preflight check_hosts(const LaunchRequest& request, const EnvMap& submitter,
                                    const std::vector<SshTarget>& targets, const RemoteAgent& agent,
                                    HostPool& pool);

}  // namespace ddp::cli
