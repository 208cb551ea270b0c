#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/launchers/ssh/connection/remote_host.hpp"
#include "cli/launchers/ssh/push/copy_progress.hpp"

namespace ddp::cli {

/// Files that hosts are to have.
struct PushedContents {
  std::vector<remote::ProgramFile> files;
  std::map<std::string, std::filesystem::path> sources;  ///< on this machine, by SHA-256
  std::string libc = {};                                 ///< the version of glibc that they need; empty: any
};

/// An order that a host can carry out once it has the contents of it, and what it still lacks.
struct ContentOrder {
  /// What is to be copied, one file for each content.
  struct Part {
    remote::ProgramFile file;
    std::filesystem::path source;
    std::uint64_t have = 0;  ///< bytes that the host has from a copy that was broken off
  };
  remote::Request request;
  std::vector<Part> parts;
  std::string folder;      ///< that the host has made; empty: parts are missing
  std::uint64_t free = 0;  ///< bytes that the host has room for

  [[nodiscard]] std::uint64_t bytes() const;
};

/// Asks the host `name` to carry out `request`, which needs `contents`. An error where it lacks what this
/// machine does not have, either.
[[nodiscard]] Expected<ContentOrder> order_contents(RemoteHost& host, const std::string& name,
                                                    const remote::Request& request,
                                                    const PushedContents& contents);
/// The same without carrying it out, even if nothing is missing: push_contents does.
[[nodiscard]] Expected<ContentOrder> plan_contents(RemoteHost& host, const std::string& name,
                                                   const remote::Request& request,
                                                   const PushedContents& contents);

/// Copies what is missing, and returns the folder that the host has made.
[[nodiscard]] Expected<std::string> push_contents(RemoteHost& host, const std::string& name,
                                                  const ContentOrder& order, CopyProgress& progress);

}  // namespace ddp::cli
