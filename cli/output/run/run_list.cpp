#include "cli/output/run/run_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/size_text.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

std::string render_ended_points(const std::vector<RunStatus>& points) {
  const auto ended = std::ranges::count_if(points, [](const auto& point) { return is_final(point.state); });
  return fmt::format("{}/{} points", ended, points.size());
}

/// An attempt may end before its first step.
std::string render_last_step(const RunStatus& status) {
  for (auto attempt = status.attempts.rbegin(); attempt != status.attempts.rend(); ++attempt)
    if (attempt->last_step) return fmt::format("step {}", *attempt->last_step);
  return {};
}

std::string render_share(const KnownRun& run) {
  if (!run.status.points.empty()) return render_ended_points(run.status.points);
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

bool is_wider(std::string_view table, std::size_t columns) {
  for (auto end = table.find('\n'); end != table.npos; end = table.find('\n')) {
    if (end > columns) return true;
    table.remove_prefix(end + 1);
  }
  return false;
}

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

/// Each id on a line of its own, and below it the rest of its row.
std::string render_under_ids(const Rows& rows) {
  Rows rest;
  for (const auto& row : rows) rest.emplace_back(row.begin() + 1, row.end());
  const auto table = render_table(rest);
  std::string text;
  std::size_t begin = 0;
  for (const auto& row : rows) {
    const auto end = table.find('\n', begin) + 1;
    text += row.front() + "\n  " + table.substr(begin, end - begin);
    begin = end;
  }
  return text;
}

std::string fit_into(std::size_t columns, Rows rows) {
  auto text = render_table(rows);
  if (!is_wider(text, columns)) return text;
  rows = without_empty_columns(std::move(rows));
  text = render_table(rows);
  return is_wider(text, columns) ? render_under_ids(rows) : text;
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
