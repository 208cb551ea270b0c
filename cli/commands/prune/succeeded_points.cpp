#include "cli/commands/prune/succeeded_points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/count_text.hpp"

namespace ddp::cli {

std::size_t succeeded_points(const RunStatus& sweep) {
  return static_cast<std::size_t>(std::ranges::count(sweep.points, RunState::succeeded, &RunStatus::state));
}

std::string render_succeeded_points(const RunStatus& sweep) {
  return fmt::format("{} of {} succeeded", succeeded_points(sweep),
                     render_count(sweep.points.size(), "point"));
}

}  // namespace ddp::cli
