#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ddp {

/// JSON of any origin: a file that another program or another user may have written, or a line that a
/// stranger has sent. Takes time in proportion to the text. A discarded value stands for a text that is no
/// JSON, and for one whose arrays and objects lie more than a hundred deep in one another: to copy, to
/// compare or to print such a value would overflow the stack. Who loads the text bounds its size (load_file).
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

/// The same; `keys` gets the keys of the outermost object in the order of the text.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, std::vector<std::string>& keys);

}  // namespace ddp
