#pragma once

#include <filesystem>
#include <system_error>

#include "cli/source/tree_list.hpp"

namespace ddp::cli {

/// What the link `name` below `root` says. An absolute path that leads into the tree by links of folders
/// comes without those links.
[[nodiscard]] std::filesystem::path read_link_target(const std::filesystem::path& root,
                                                     const std::filesystem::path& name,
                                                     std::error_code& error);

/// What a link of the copy of `list` says, whose original `name` below `root` says `target`: the same, but
/// for two cases. A relative path that leads out of the tree becomes an absolute one to the same place. An
/// absolute path to what is copied, too, becomes a relative one, which leads to the copy. Pure.
[[nodiscard]] std::filesystem::path target_in_copy(const TreeList& list, const std::filesystem::path& root,
                                                   const std::filesystem::path& name,
                                                   const std::filesystem::path& target);

}  // namespace ddp::cli
