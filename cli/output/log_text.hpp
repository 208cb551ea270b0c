#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/output/reporter.hpp"
#include "cli/store/rank_logs.hpp"

namespace ddp::cli {

enum class RankMark { none, shown };
/// Whether lines of stderr can be told from others.
enum class ErrMark { none, shown };

/// What stands in front of the lines that ranks print.
struct LogMarks {
  RankMark rank = RankMark::none;
  ErrMark err = ErrMark::none;
  Colour colour = Colour::never;
};

/// "text", "[r3] text", "[err] text" or "[r3 err] text", without an end.
[[nodiscard]] std::string render_log_line(const LogLine& line, const LogMarks& marks);

/// Of one rank nothing tells the rank.
[[nodiscard]] RankMark rank_mark_for(std::size_t ranks);

/// For lines that go to stdout and stderr of this process, each to its own: marked where both are one
/// terminal, pipe or file.
[[nodiscard]] ErrMark err_mark_of_own_streams();

/// As much of a line as fits into `columns` of a terminal, without what would move its cursor.
[[nodiscard]] std::string cut_to_columns(std::string_view text, std::size_t columns);

}  // namespace ddp::cli
