#pragma once

#include <filesystem>
#include <string>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// The configuration of a training for a host that shares no folder: paths to files that ssh.push names are
/// those of the copies in `work_dir`, a folder of the host.
[[nodiscard]] RunSpec with_paths_of_copies(const LaunchRequest& request,
                                           const std::filesystem::path& work_dir);

/// An error for each relative path of `train:` to a file that the hosts do not get: it would be one of this
/// machine. In the order of the keys.
[[nodiscard]] Errors check_train_paths(const LaunchRequest& request);

}  // namespace ddp::cli
