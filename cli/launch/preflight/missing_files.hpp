#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What a run needs and what is not there: the program of `command:` if it runs on nodes, the script of an
/// interpreter, the data of a training on nodes, the files that set-up lines source. On this machine a script
/// is an error, everything else a warning: nodes may have it. Silent about what set-up lines may bring, and
/// about what only hosts know that do not share the folder. `environment`: the job's. Looks for files, opens
/// none.
[[nodiscard]] Preflight find_missing_files(const RunSpec& spec, const RunFolder& folder,
                                           const std::filesystem::path& work_dir, const EnvMap& environment);

/// The warnings of that for a run, or the points of a sweep, that is not submitted.
[[nodiscard]] std::vector<std::string> warn_of_missing_files(const RunSpec& spec, const RunFolder& folder,
                                                             const std::filesystem::path& work_dir,
                                                             const EnvMap& submitter);

}  // namespace ddp::cli
