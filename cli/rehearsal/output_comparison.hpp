#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "cli/rehearsal/file_comparison.hpp"

namespace ddp::cli {

/// The names within `folder` of the regular files below it, without links. An error when there is none, or
/// when a folder cannot be read.
[[nodiscard]] Expected<std::set<std::string>> find_output_files(const std::filesystem::path& folder);

/// All files that the undisturbed run of a command has left in its output folder, byte for byte. What only
/// the disturbed run has may be the checkpoint of its stop, or what a kill left half written. An error when
/// the undisturbed run has left none, or when a folder cannot be read.
[[nodiscard]] Expected<ResultComparison> compare_outputs(const std::filesystem::path& undisturbed,
                                                         const std::filesystem::path& disturbed);

}  // namespace ddp::cli
