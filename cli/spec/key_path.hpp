#pragma once

#include <string_view>

namespace ddp::cli {

/// Whether the dotted path `path` is `section`, or a key below it.
[[nodiscard]] inline bool lies_in(std::string_view path, std::string_view section) {
  return path.starts_with(section) && (path.size() == section.size() || path[section.size()] == '.');
}

}  // namespace ddp::cli
