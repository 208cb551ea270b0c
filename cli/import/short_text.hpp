#pragma once

#include <string>
#include <string_view>

namespace ddp::cli {

/// For a comment: one line, cut where it is long.
[[nodiscard]] std::string short_text(std::string_view text);

}  // namespace ddp::cli
