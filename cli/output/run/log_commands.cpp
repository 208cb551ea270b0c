#include "cli/output/run/log_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/output/run/sweep_table.hpp"
#include "cli/output/table.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kMostCommands = 20;

bool may_have_logs(const RunStatus& point) {
  return point.started || (is_final(point.state) && point.state != RunState::cancelled);
}

/// The lower, the sooner somebody wants to see it.
int order_of(RunState state) {
  if (!is_final(state)) return 0;
  return state == RunState::succeeded ? 2 : 1;
}

std::vector<std::size_t> points_in_order(const std::vector<RunStatus>& points) {
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < points.size(); ++number)
    if (may_have_logs(points[number])) numbers.push_back(number);
  std::ranges::stable_sort(numbers, {}, [&](std::size_t number) { return order_of(points[number].state); });
  return numbers;
}

}  // namespace

std::vector<std::string> render_log_commands(const RunPointer& sweep, const SweepRecord& record,
                                             const RunStatus& status) {
  auto numbers = points_in_order(status.points);
  const auto all = numbers.size();
  numbers.resize(std::min(all, kMostCommands));
  std::vector<std::vector<std::string>> rows;
  for (const auto number : numbers)
    rows.push_back({fmt::format("  ddpsubmit logs {}/{}", sweep.run_id, number),
                    render_point_values(record, number), words_of(status.points[number].state)});
  std::istringstream table(render_table(rows));
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);) lines.push_back(line);
  if (all > numbers.size())
    lines.push_back(fmt::format("  and {} more: ddpsubmit status {}", all - numbers.size(), sweep.run_id));
  return lines;
}

}  // namespace ddp::cli
