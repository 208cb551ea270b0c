#pragma once

#include <string>
#include <vector>

namespace ddp::cli {

/// Rows as aligned columns, two spaces apart; the last column is not padded. Rows may be of different length.
[[nodiscard]] std::string render_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace ddp::cli
