#pragma once

#include <filesystem>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/push/pushed_contents.hpp"
#include "cli/system/command_runner.hpp"

namespace ddp::cli {

/// The files of the user that a run is pushed with.
struct PushedFiles {
  remote::PlaceFiles order;
  PushedContents contents;

  [[nodiscard]] bool empty() const { return order.files.empty(); }
};

/// Whether an earlier attempt of the run has put its files on record.
[[nodiscard]] bool has_pushed_files(const RunFolder& folder);

/// The folder in which paths of ssh.push begin.
[[nodiscard]] std::filesystem::path folder_of_user_files(const LaunchRequest& request);

/// In which folder below the files on a host the ranks start: "." unless the working tree was copied.
[[nodiscard]] std::filesystem::path folder_below_files(const LaunchRequest& request);

/// Those that ssh.push names, and the copy of the working tree, if the run has one. Where they are on record
/// already they stay what they were: of what has changed since, nothing is a source.
[[nodiscard]] Expected<PushedFiles> collect_files(const LaunchRequest& request, const EnvMap& user,
                                                  CommandRunner& runner);

/// Puts them on record in the run folder, for the attempts to come. All hosts have them.
[[nodiscard]] Expected<void> record_files(const RunFolder& folder, const PushedFiles& files);

}  // namespace ddp::cli
