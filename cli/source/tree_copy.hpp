#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "cli/source/tree_list.hpp"

namespace ddp::cli {

/// What a copy has come to.
struct CopiedTree {
  std::uint64_t files = 0;  ///< and links
  std::uint64_t bytes = 0;
  std::vector<TreeEntry> gone;  ///< not copied, since they were removed or replaced after they were listed
};

/// Copies what `list` names from `root` to `copy`, a folder that it makes. Files keep their contents, modes
/// and times of change; the blocks of a file are shared where the file system can do that. Links stay links
/// (target_in_copy), and none is followed, neither in `root` nor in `copy`. After an error a part of the copy
/// may be there. Nothing is synced.
[[nodiscard]] Expected<CopiedTree> copy_tree(const TreeList& list, const std::filesystem::path& root,
                                             const std::filesystem::path& copy);

}  // namespace ddp::cli
