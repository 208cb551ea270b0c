#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace ddp {

/// At most the last `bytes` of a file, however long it is; empty when it cannot be read. The first line may
/// be cut.
[[nodiscard]] std::string load_tail(const std::filesystem::path& path, std::size_t bytes);

/// The last line of `text` that is not blank, without the blanks at its end.
[[nodiscard]] std::string_view last_line(std::string_view text);

/// At most the last `lines` of `text`, without the newline at its end.
[[nodiscard]] std::string last_lines(std::string text, std::size_t lines);

}  // namespace ddp
