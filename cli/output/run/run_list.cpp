#include "cli/output/run/run_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/size_text.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

/// Of a sweep that goes on: how many have ended; at its end: how many did what was asked.
std::string render_share_of_points(const RunStatus& sweep) {
  const auto count = [&sweep](auto is_counted) {
    return std::ranges::count_if(sweep.points,
                                 [&](const RunStatus& point) { return is_counted(point.state); });
  };
  const auto all = sweep.points.size();
  if (is_final(sweep.state) && sweep.state != RunState::succeeded)
    return fmt::format("{} of {} ok", count([](RunState state) { return state == RunState::succeeded; }),
                       all);
  return fmt::format("{}/{} points", count(is_final), all);
}

/// An attempt may end before its first step.
std::string render_last_step(const RunStatus& status) {
  for (auto attempt = status.attempts.rbegin(); attempt != status.attempts.rend(); ++attempt)
    if (attempt->last_step) return fmt::format("step {}", *attempt->last_step);
  return {};
}

std::string render_share(const KnownRun& run) {
  if (!run.status.points.empty()) return render_share_of_points(run.status);
  if (is_final(run.status.state)) return render_last_step(run.status);
  const auto step = reached_step(run);
  if (!run.live || step == 0) return {};
  const auto total = run.live->total_steps.value_or(0);
  if (total == 0) return fmt::format("step {}", step);
  return fmt::format("{} %", 100 * static_cast<std::uint64_t>(step) / total);
}

std::string render_left(const KnownRun& run) {
  const auto left = run.live ? time_left(*run.live, reached_step(run)) : std::nullopt;
  return left ? render_short_time(*left) : "";
}

std::string render_limit(const KnownRun& run, std::chrono::system_clock::time_point now) {
  const auto limit = time_to_limit(run, now);
  return limit ? render_short_time(*limit) : "";
}

using Rows = std::vector<std::vector<std::string>>;

Rows without_empty_columns(Rows rows) {
  for (std::size_t column = rows.front().size(); column-- > 0;) {
    const bool is_empty = std::all_of(rows.begin() + 1, rows.end(), [&](const std::vector<std::string>& row) {
      return row[column] == "-";
    });
    if (!is_empty) continue;
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  return rows;
}

/// The rest of each row, in columns of their own.
std::vector<std::string> render_rest(const Rows& rows) {
  Rows rest;
  for (const auto& row : rows) rest.emplace_back(row.begin() + 1, row.end());
  const auto table = render_table(rest);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < table.size();) {
    const auto end = table.find('\n', begin);
    lines.push_back(table.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// An id that leaves too little room for the rest of its row has a line of its own. The others stand beside
/// it.
std::string fit_into(std::size_t columns, Rows rows) {
  constexpr std::size_t kBetween = 2;
  auto lines = render_rest(rows);
  const auto widest = [](const auto& texts, auto size) { return std::ranges::max(texts, {}, size); };
  const auto size_of_id = [](const std::vector<std::string>& row) { return row.front().size(); };
  const auto size_of_line = [](const std::string& line) { return line.size(); };
  const auto needed = [&] {
    return size_of_id(widest(rows, size_of_id)) + kBetween + widest(lines, size_of_line).size();
  };
  if (needed() > columns) {
    rows = without_empty_columns(std::move(rows));
    lines = render_rest(rows);
  }
  const auto room = columns - std::min(columns, widest(lines, size_of_line).size() + kBetween);
  std::size_t width = kBetween;
  for (const auto& row : rows)
    if (row.front().size() <= room) width = std::max(width, row.front().size() + kBetween);
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto id = rows[i].front();
    if (id.size() > room) text += std::exchange(id, "") + '\n';
    text += id + std::string(width - id.size(), ' ') + lines[i] + '\n';
  }
  return text;
}

}  // namespace

std::string render_run_list(const std::vector<KnownRun>& runs, std::chrono::system_clock::time_point now,
                            const std::vector<std::uint64_t>& sizes, std::optional<std::size_t> columns) {
  Rows rows{{"RUN", "LAUNCHER", "STATE", "PROGRESS", "LEFT", "LIMIT IN", "AGE", "JOB"}};
  for (const auto& run : runs) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - run.pointer.created);
    rows.push_back({run.pointer.run_id, run.pointer.launcher, words_of(run.status.state),
                    or_dash(render_share(run)), or_dash(render_left(run)), or_dash(render_limit(run, now)),
                    render_age(age), or_dash(run.pointer.job_id)});
  }
  if (!sizes.empty()) rows.front().emplace_back("SIZE");
  for (std::size_t i = 0; i < sizes.size(); ++i) rows[i + 1].push_back(render_file_size(sizes[i]));
  return columns ? fit_into(*columns, std::move(rows)) : render_table(rows);
}

}  // namespace ddp::cli
