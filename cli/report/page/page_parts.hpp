#pragma once

#include <string_view>

namespace ddp::cli {

/// A file of templates/report as the page holds it.
struct PagePart {
  std::string_view text;
  std::string_view sha256;  ///< in hex
};

[[nodiscard]] PagePart page_style();
[[nodiscard]] PagePart page_script();

}  // namespace ddp::cli
