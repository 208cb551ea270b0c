#pragma once

#include "cli/launch/launcher.hpp"
#include "cli/source/tree_list.hpp"

namespace ddp::cli {

/// Relative paths of a run that lead to something now, and not in the copy of the working tree that `list` is
/// of: git ignores it, or it is outside of the tree. The program, its script and the files that set-up lines
/// source are errors, other arguments warnings. Warns of programs and scripts that are in the copy, and named
/// by absolute paths. Silent about `command` if set-up lines may make files in the copy. Looks for files,
/// opens none.
[[nodiscard]] Preflight find_outside_copy(const RunSpec& spec, const WorkTree& tree, const TreeList& list,
                                          const EnvMap& environment);

}  // namespace ddp::cli
