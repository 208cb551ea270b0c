#pragma once

#include <cstddef>
#include <string>

#include "cli/store/report/known_run.hpp"
#include "cli/top/view/line_builder.hpp"

namespace ddp::cli {

/// "POINT lr, seed": the keys whose values render_point_name shows, which are those that differ.
[[nodiscard]] std::string render_point_head(const SweepRecord& sweep);

/// "3: 0.001, 2", in at most so many columns: long values lose their middle.
[[nodiscard]] std::string render_point_name(const SweepRecord& sweep, std::size_t point, std::size_t columns,
                                            Charset charset);

}  // namespace ddp::cli
