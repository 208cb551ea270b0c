#pragma once

#include "cli/launchers/ssh/connection/libssh_api.hpp"
#include "cli/launchers/ssh/connection/ssh_settings.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Shows the host of a connected session the user's keys until it takes one. The keys that ~/.ssh/config or
/// the run names come first, each from the ssh agent if that holds it; then the others of the agent, unless
/// IdentitiesOnly is set. ssh's default keys come after those of the agent, as with ssh. Never asks a person.
/// ExitCode::authentication: what the host said, and what to do.
[[nodiscard]] Expected<void> authenticate(const LibSsh& library, ssh_session session,
                                          const SshSettings& settings);

}  // namespace ddp::cli
