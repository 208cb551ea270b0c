#include "cli/output/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kNone = "-";

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('.') + 1);  // npos + 1 is 0
}

/// The last part of each key, or the whole of it where two have the same.
std::vector<std::string> short_names(const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (const auto& key : keys) {
    const auto same = std::ranges::count(keys, last_part(key), last_part);
    names.push_back(same > 1 ? key : last_part(key));
  }
  return names;
}

std::string render_metric(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : std::string(kNone);
}

std::string render_elapsed_of(const RunStatus& status, std::chrono::system_clock::time_point now) {
  const auto elapsed = elapsed_of(status, now);
  return elapsed ? render_elapsed(*elapsed) : std::string(kNone);
}

std::vector<std::string> render_row(std::size_t number, const KnownRun& sweep,
                                    std::chrono::system_clock::time_point now) {
  const KnownRun& point = sweep.points[number];
  std::vector<std::string> row{std::to_string(number)};
  for (const auto& value : sweep.sweep->points[number]) row.push_back(render_sweep_value(value));
  row.emplace_back(to_string(point.status.state));
  const auto& progress = point.progress;
  row.push_back(progress ? std::to_string(progress->step) : std::string(kNone));
  row.push_back(progress ? (progress->kind == "evaluate" ? "test" : "train") : std::string(kNone));
  row.push_back(render_metric(progress ? progress->loss : std::nullopt));
  row.push_back(render_metric(progress ? progress->accuracy : std::nullopt));
  row.push_back(render_elapsed_of(point.status, now));
  return row;
}

}  // namespace

std::string render_sweep_table(const KnownRun& sweep, std::chrono::system_clock::time_point now) {
  std::vector<std::vector<std::string>> rows{{"POINT"}};
  for (auto& name : short_names(sweep.sweep->keys)) rows.front().push_back(std::move(name));
  for (const char* title : {"STATE", "STEP", "ON", "LOSS", "ACCURACY", "ELAPSED"})
    rows.front().emplace_back(title);
  for (std::size_t number = 0; number < sweep.points.size(); ++number)
    rows.push_back(render_row(number, sweep, now));
  return render_table(rows);
}

std::string render_point(const SweepRecord& sweep, std::size_t point) {
  const auto names = short_names(sweep.keys);
  std::string text = fmt::format("point {}", point);
  for (std::size_t key = 0; key < names.size(); ++key) {
    text += fmt::format("{} {} {}", key == 0 ? ":" : ",", names[key],
                        render_sweep_value(sweep.points[point][key]));
  }
  return text;
}

}  // namespace ddp::cli
