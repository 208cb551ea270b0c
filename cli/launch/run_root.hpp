#pragma once

#include <optional>
#include <string>

#include "cli/spec/run_spec.hpp"
#include "cli/system/folder_probe.hpp"

namespace ddp::cli {

/// What speaks against the folder that the run is to be put into: nobody can write there (an error), or it
/// may be a folder of this machine alone while the ranks run on others (a warning, with none when a run of
/// Slurm has written there already).
struct RunRootVerdict {
  std::optional<Error> error;
  std::optional<std::string> warning;
};
[[nodiscard]] RunRootVerdict judge_run_root(const RunSpec& spec, const FolderProbe& probe);

}  // namespace ddp::cli
