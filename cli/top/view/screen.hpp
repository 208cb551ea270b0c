#pragma once

#include "cli/top/model/top_state.hpp"
#include "cli/top/view/frame.hpp"
#include "cli/top/view/line.hpp"

namespace ddp::cli {

/// How many rows a page up or down goes.
[[nodiscard]] std::size_t page_rows(const TopState& state, const TopData& data, const Frame& frame);

/// Scrolls so that the chosen row is shown. Where none has been chosen yet, the first is.
void keep_in_view(const TopData& data, const Frame& frame, TopState& state);

/// The whole screen: exactly `frame.rows` lines.
[[nodiscard]] Screen render_screen(const TopState& state, const TopData& data, const Frame& frame);

}  // namespace ddp::cli
