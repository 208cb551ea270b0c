#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ddp {

/// The offset of the last '[' or '{' of a piece of YAML that is not closed in it. The piece begins at a value
/// or a key. Brackets in quotes, in comments and within plain words do not count.
[[nodiscard]] std::optional<std::size_t> find_last_open_bracket(std::string_view yaml);

}  // namespace ddp
