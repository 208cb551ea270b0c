#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"
#include "cli/system/folder_probe.hpp"

namespace ddp::cli {

/// What speaks against the folder that the run is to be put into. Errors: this user cannot write there, or
/// every user can put something else in its place. Warnings: some users can; it may be a folder of this
/// machine alone while the ranks run on others (not when a run of a scheduler has written there already).
struct RunRootVerdict {
  std::optional<Error> error;
  std::vector<std::string> warnings;
};
[[nodiscard]] RunRootVerdict judge_run_root(const RunSpec& spec, const FolderProbe& probe);

}  // namespace ddp::cli
