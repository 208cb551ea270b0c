#pragma once

#include <filesystem>
#include <string>

namespace ddp::agent {

/// Whether this process is in a session of systemd's logind, which ends all processes of it with the session:
/// KillUserProcesses of logind.conf(5) and its drop-ins, unless `user` is excepted. Who lingers is not.
/// `root` is where the files of the host are.
[[nodiscard]] bool ends_with_session(const std::string& user, const std::filesystem::path& root = "/");

}  // namespace ddp::agent
