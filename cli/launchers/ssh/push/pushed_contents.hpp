#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/launchers/ssh/connection/remote_host.hpp"

namespace ddp::cli {

/// Files that hosts are to have.
struct PushedContents {
  std::vector<remote::ProgramFile> files;
  std::map<std::string, std::filesystem::path> sources;  ///< on this machine, by SHA-256
};

/// Says what is copied, while it is.
using PushNote = std::function<void(const std::string& line)>;

/// Has the host `name` do `order`, which needs `contents`, and copies those that it lacks. Returns the folder
/// that it has made.
[[nodiscard]] Expected<std::string> push_contents(RemoteHost& host, const std::string& name,
                                                  const remote::Request& order,
                                                  const PushedContents& contents, const PushNote& note);

}  // namespace ddp::cli
