#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddp::cli {

/// Rows as aligned columns, two spaces apart; the last column is not padded. Rows may be of different length.
/// With `columns`, the width of a terminal, the widest columns are narrowed and their texts wrapped; not the
/// first one, whose ids people copy.
[[nodiscard]] std::string render_table(const std::vector<std::vector<std::string>>& rows,
                                       std::optional<std::size_t> columns = std::nullopt);

/// With further rows for what does not fit of the last column: whole words, below its first line. Columns
/// before it are as they are. For texts of which no word may be cut, such as paths.
[[nodiscard]] std::vector<std::vector<std::string>> wrap_last_column(
    const std::vector<std::vector<std::string>>& rows, std::size_t columns);

/// Whether render_table needs to break no word of them, but very long ones, for such a terminal.
[[nodiscard]] bool fits_table(const std::vector<std::vector<std::string>>& rows, std::size_t columns);

}  // namespace ddp::cli
