#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddp {

/// `text` as one word of a POSIX shell; unchanged when it needs no quotes.
[[nodiscard]] std::string quote_for_shell(std::string_view text);

/// The words of a command line, quoted and joined by spaces.
[[nodiscard]] std::string render_command_line(const std::vector<std::string>& argv);

/// `text` as one word on one line, for people: bash takes the line breaks and tabs of $'a\nb'.
[[nodiscard]] std::string quote_on_one_line(std::string_view text);

}  // namespace ddp
