#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/source/tree_copy.hpp"

namespace ddp::cli {

/// Copies what was gone when `first` was made, and is in `now`, a later list of the same tree: an editor
/// removes a file for a moment when it saves it. Returns what both copies have come to. `root` and `copy` are
/// those of copy_tree.
[[nodiscard]] Expected<CopiedTree> copy_gone_files(const CopiedTree& first, const TreeList& now,
                                                   const std::filesystem::path& root,
                                                   const std::filesystem::path& copy);

/// A remark on each file that the copy lacks. A file that git tracks is an error: the program may need it.
/// Pure.
[[nodiscard]] Expected<std::vector<std::string>> remark_on_gone_files(const CopiedTree& copied,
                                                                      const std::filesystem::path& root);

}  // namespace ddp::cli
