#pragma once

#include <filesystem>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Removes a folder and all that is in it. A symbolic link is removed, and not followed; another file system
/// that is mounted in the folder is refused. Files that another process removes at the same time are not an
/// error, so an interrupted removal can be repeated. The error names the first path that stays; others may be
/// gone.
[[nodiscard]] Expected<void> remove_tree(const std::filesystem::path& folder);

}  // namespace ddp::cli
