#pragma once

#include <filesystem>

namespace ddp {

/// "data" of "data/". The normal form of a path may end so: that of "data/." does. Pure.
[[nodiscard]] inline std::filesystem::path without_last_slash(const std::filesystem::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace ddp
