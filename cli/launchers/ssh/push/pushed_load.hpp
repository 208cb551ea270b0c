#pragma once

#include <optional>
#include <string>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/push/pushed_files.hpp"
#include "cli/launchers/ssh/push/pushed_run.hpp"

namespace ddp::cli {

/// What hosts need of a run, apart from its run folder, if they do not share a folder.
struct PushedLoad {
  PushedAgent agent;       ///< which they have already: it is what answers there
  PushedContents program;  ///< of a training
  PushedContents package;  ///< of Python, for a command
  PushedFiles files;
};

[[nodiscard]] Expected<PushedLoad> collect_load(const LaunchRequest& request, const PushedAgent& agent,
                                                const LauncherSeams& seams);

/// What one host is to have of it, and still lacks.
struct HostLoad {
  std::optional<ContentOrder> program, package, files;
  std::optional<ContentOrder> restored;  ///< what the run has written, on another host
  std::string warning;                   ///< what the run loses, in a line; empty: nothing

  /// What is to be copied.
  [[nodiscard]] std::uint64_t bytes() const;
};

/// Says what is copied to the host `name`, but not of the Python package, which is small.
void announce_copy(const HostLoad& wanted, const std::string& name, CopyProgress& progress);

/// Asks the host `name` what it lacks. Sends no file; what it has already may be put in its place.
[[nodiscard]] Expected<HostLoad> order_load(RemoteHost& host, const std::string& name,
                                            const LaunchRequest& request, const PushedLoad& load,
                                            RunPart part, const LauncherSeams& seams);

/// The error for a host that has no room for what it lacks.
[[nodiscard]] std::optional<Error> check_room(const RemoteHost& host, const std::string& name,
                                              const HostLoad& wanted, const PushedLoad& load);

/// Copies what the host `name` lacks, and returns the run folder there.
[[nodiscard]] Expected<std::string> push_load(RemoteHost& host, const std::string& name,
                                              const LaunchRequest& request, const PushedLoad& load,
                                              const HostLoad& wanted, RunPart part, CopyProgress& progress);

}  // namespace ddp::cli
