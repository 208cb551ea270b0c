#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ddp::agent {

/// The end of a log: at most 4 KiB, whole lines where the first line is cut, valid UTF-8 (other bytes and NUL
/// become '?'). Empty when the file cannot be read.
[[nodiscard]] std::string load_log_tail(const std::filesystem::path& file);

/// `text` with NUL and every byte that is not part of a valid UTF-8 sequence replaced by '?'.
[[nodiscard]] std::string to_valid_utf8(std::string_view text);

}  // namespace ddp::agent
