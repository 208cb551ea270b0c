#pragma once

#include <filesystem>

namespace ddp::cli {

/// What a link of the copy says, whose original `name` below `root` says `target`: the same. One that leads
/// out of the tree by a relative path leads to the same place by an absolute one. Pure.
[[nodiscard]] std::filesystem::path target_in_copy(const std::filesystem::path& root,
                                                   const std::filesystem::path& name,
                                                   const std::filesystem::path& target);

}  // namespace ddp::cli
