#pragma once

#include <string>

namespace ddp::cli {

/// The value of a Content-Security-Policy: nothing is loaded, and only the style and the script of the page
/// are used.
[[nodiscard]] std::string page_policy();

}  // namespace ddp::cli
