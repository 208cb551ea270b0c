#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ddp::cli {

/// Text as the content of an element, or as the value of an attribute in double quotes. Control characters,
/// marks that reorder text and bytes that are not UTF-8 are written out (escape_control_characters).
[[nodiscard]] std::string escape_html(std::string_view text);

/// JSON that may stand in a `script` element: ASCII, without `<`, `>` and `&`.
[[nodiscard]] std::string render_script_json(const nlohmann::json& value);

}  // namespace ddp::cli
