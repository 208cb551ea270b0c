#pragma once

#include <cstdint>
#include <filesystem>

#include "cli/source/tree_list.hpp"

namespace ddp::cli {

/// What a copy has come to. Files that were removed since they were listed are not in it.
struct CopiedTree {
  std::uint64_t files = 0;  ///< and links
  std::uint64_t bytes = 0;
};

/// Copies what `list` names from `root` to `copy`, a folder that it makes. Files keep their contents, modes
/// and times of change; the blocks of a file are shared where the file system can do that. Links stay links
/// (target_in_copy). After an error a part of the copy may be there. Nothing is synced.
[[nodiscard]] Expected<CopiedTree> copy_tree(const TreeList& list, const std::filesystem::path& root,
                                             const std::filesystem::path& copy);

}  // namespace ddp::cli
