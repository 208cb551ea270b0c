#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddp::cli {

/// Lines of at most `width` bytes that end behind whole words; a longer word, such as a path that people
/// copy, stays whole on its line. At least one line.
[[nodiscard]] std::vector<std::string> break_at_blanks(std::string_view text, std::size_t width);

/// Each line of a text for people, broken at blanks where it is wider than the terminal; what follows is
/// indented further. Lines that quote another text, behind a '|', are left alone. nullopt: no terminal.
[[nodiscard]] std::string wrap_lines(std::string_view text, std::optional<std::size_t> columns);

}  // namespace ddp::cli
