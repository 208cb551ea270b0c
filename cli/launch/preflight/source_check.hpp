#pragma once

#include <filesystem>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// Whether the source of a run, or of the points of a sweep, can be kept as the spec asks for: the size of
/// the working tree of `submit_dir`, and paths that lead out of its copy (find_outside_copy); that there is
/// git to ask for changes. A run that has its copy already is not looked at. Writes nothing.
[[nodiscard]] Preflight check_source(const RunSpec& spec, const RunFolder& folder,
                                     const std::filesystem::path& submit_dir, const LauncherSeams& seams);

}  // namespace ddp::cli
