#pragma once

#include "cli/store/report/known_run.hpp"
#include "cli/top/view/frame.hpp"
#include "cli/top/view/line.hpp"

namespace ddp::cli {

/// The table of the ranks of the newest attempt.
[[nodiscard]] Line render_rank_head(const Frame& frame);
[[nodiscard]] Line render_rank_row(const KnownRun& run, int rank, Row row, const Frame& frame);

}  // namespace ddp::cli
