#pragma once

#include <string>
#include <string_view>

namespace ddp::cli {

// templates/report, as the page holds them.
[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_script();

/// The value of a Content-Security-Policy: nothing is loaded, and only this style and this script are used.
[[nodiscard]] std::string page_policy();

}  // namespace ddp::cli
