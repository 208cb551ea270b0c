#pragma once

#include "cli/top/model/top_state.hpp"
#include "cli/top/view/frame.hpp"
#include "cli/top/view/line.hpp"

namespace ddp::cli {

/// How many runs the list has room for.
[[nodiscard]] std::size_t list_height(const TopData& data, const Frame& frame);

/// A list of runs, or of the points of a sweep, between the title and the last line.
[[nodiscard]] Screen render_list(const TopPage& page, const TopData& data, const Frame& frame);

}  // namespace ddp::cli
