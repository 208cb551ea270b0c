#pragma once

#include <string>

#include "cli/launchers/ssh/connection/remote_agent.hpp"

namespace ddp::cli {

/// What /bin/sh is to run on a host to become the agent there, which it asks for where the host does not have
/// it (remote::AgentWanted): templates/ssh/push_agent.sh. Its answers are marked by `marker`. Pure.
[[nodiscard]] std::string render_push_script(const PushedAgent& agent, const std::string& marker);

}  // namespace ddp::cli
