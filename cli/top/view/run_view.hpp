#pragma once

#include "cli/top/model/top_state.hpp"
#include "cli/top/view/frame.hpp"
#include "cli/top/view/line.hpp"

namespace ddp::cli {

/// How many ranks the table of the run has room for.
[[nodiscard]] std::size_t rank_height(const TopData& data, const Frame& frame);

/// The screen of a single run, between the title and the last line.
[[nodiscard]] Screen render_run(const TopPage& page, const TopData& data, const Frame& frame);

}  // namespace ddp::cli
