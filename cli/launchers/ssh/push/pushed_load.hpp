#pragma once

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

/// Copies what the host `name` lacks, and returns the run folder there.
[[nodiscard]] Expected<std::string> push_load(RemoteHost& host, const std::string& name,
                                              const LaunchRequest& request, const PushedLoad& load,
                                              RunPart part, const PushNote& note);

}  // namespace ddp::cli
