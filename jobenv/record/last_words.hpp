#pragma once

#include <string>
#include <string_view>

namespace ddp {

/// The exception below the last traceback of Python in the end of a stderr: one line, without control
/// characters, cut after 200 bytes. Empty: there is none. Pure.
[[nodiscard]] std::string find_exception(std::string_view stderr_tail);

/// The same, or else the last line that tells something: not a blank one, a log line of PyTorch, the rule of
/// a banner, or Open MPI's delay before it aborts. Of a message of ddptrain that ends the text it is the
/// first line: further ones are details and advice.
[[nodiscard]] std::string find_last_words(std::string_view stderr_tail);

}  // namespace ddp
