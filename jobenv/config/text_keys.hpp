#pragma once

#include <span>
#include <string_view>

namespace ddp {

/// A value, or a list, that takes text of several lines.
struct TextKey {
  std::string_view path;    ///< dotted
  std::string_view layout;  ///< the control characters that the text may hold: "\n", "\n\t"
};
using TextKeys = std::span<const TextKey>;

}  // namespace ddp
