#pragma once

#include <string>
#include <string_view>

namespace ddp {

/// The line in the end of a stderr that most likely says what went wrong: the exception below Python's last
/// traceback, or else the last line that is neither blank nor a log line of PyTorch. Without control
/// characters, and cut after 200 bytes; empty: there is none. Pure.
[[nodiscard]] std::string find_last_words(std::string_view stderr_tail);

}  // namespace ddp
