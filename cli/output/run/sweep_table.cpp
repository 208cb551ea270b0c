#include "cli/output/run/sweep_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "cli/output/line_wrap.hpp"
#include "cli/output/metric_text.hpp"
#include "cli/output/run/end_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/short_keys.hpp"
#include "cli/output/table.hpp"
#include "jobenv/record/ledger/index_list.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kNone = "-";

std::string metric_or_dash(const std::optional<double>& value) {
  return value ? render_metric(*value) : std::string(kNone);
}

constexpr const char* kSplit = "SPLIT";
constexpr std::string_view kTrainSplit = "train";

struct MetricColumn {
  const char* head;
  std::string (*value)(const KnownRun& point, const TrainingProgress& progress);
};

constexpr MetricColumn kMetricColumns[] = {
    {"STEP",
     [](const KnownRun& point, const TrainingProgress&) { return std::to_string(reached_step(point)); }},
    {kSplit,
     [](const KnownRun&, const TrainingProgress& progress) {
       const bool known = progress.loss || progress.accuracy;
       return std::string(!known ? kNone : progress.kind == "evaluate" ? "test" : kTrainSplit);
     }},
    {"LOSS", [](const KnownRun&, const TrainingProgress& progress) { return metric_or_dash(progress.loss); }},
    {"ACCURACY",
     [](const KnownRun&, const TrainingProgress& progress) { return metric_or_dash(progress.accuracy); }},
};

std::string render_metric_of(const MetricColumn& column, const KnownRun& point) {
  return point.progress ? column.value(point, *point.progress) : std::string(kNone);
}

using MetricColumns = std::vector<MetricColumn>;

/// Those in which a point has something. That all metrics are those of the training needs no column.
MetricColumns metrics_of(const KnownRun& sweep) {
  MetricColumns columns;
  std::ranges::copy_if(kMetricColumns, std::back_inserter(columns), [&](const MetricColumn& column) {
    return std::ranges::any_of(sweep.points, [&](const KnownRun& point) {
      const auto text = render_metric_of(column, point);
      return text != kNone && (std::string_view(column.head) != kSplit || text != kTrainSplit);
    });
  });
  return columns;
}

std::vector<std::string> render_row(std::size_t number, const KnownRun& sweep, const MetricColumns& metrics,
                                    std::chrono::system_clock::time_point now) {
  const KnownRun& point = sweep.points[number];
  std::vector<std::string> row{std::to_string(number)};
  for (const auto& value : sweep.sweep->points[number]) row.push_back(render_sweep_value(value));
  row.push_back(words_of(point.status.state));
  for (const auto& column : metrics) row.push_back(render_metric_of(column, point));
  row.push_back(render_running_time(point.status, now));
  return row;
}

std::vector<std::string> render_head(const SweepRecord& sweep, const MetricColumns& metrics) {
  std::vector<std::string> head{"POINT"};
  for (auto& name : shorten_keys(sweep.keys)) head.push_back(std::move(name));
  head.emplace_back("STATE");
  for (const auto& column : metrics) head.emplace_back(column.head);
  head.emplace_back("RAN");
  return head;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

/// Why a point is in its state; below, what most likely caused a failure. Empty: there is nothing to say.
std::string render_reason(const RunStatus& point) {
  if (point.message.empty() || point.state == RunState::succeeded) return {};
  const auto state = words_of(point.state);
  const auto message = first_line(point.message);
  auto reason = message.starts_with(state) ? std::string(message) : fmt::format("{}: {}", state, message);
  auto lines = is_final(point.state) ? split_sentences(reason) : std::vector{std::move(reason)};
  if (auto likely = render_likely_cause(point); !likely.empty())
    lines.insert(lines.begin() + 1, std::move(likely));
  return fmt::format("{}", fmt::join(lines, "\n  "));
}

/// "cancelled before they started"
std::string in_plural(std::string reason) {
  constexpr std::string_view kOne = "before it started";
  if (const auto at = reason.find(kOne); at != reason.npos)
    reason.replace(at, kOne.size(), "before they started");
  return reason;
}

/// What points have to say, each text once, with the numbers of those that say it, in the order of the first.
class TextsOfPoints {
 public:
  void add(const std::string& text, int number) {
    auto group = std::ranges::find(groups_, text, &Group::first);
    if (group == groups_.end()) group = groups_.insert(groups_.end(), {text, {}});
    if (group->second.empty() || group->second.back() != number) group->second.push_back(number);
  }
  /// "points 1-2,4 queued: …", a line for each.
  [[nodiscard]] std::string render() const {
    std::string lines;
    for (const auto& [text, numbers] : groups_)
      lines += fmt::format("{}point{} {}{}\n", lines.empty() ? "\n" : "", numbers.size() > 1 ? "s" : "",
                           render_index_list(numbers), numbers.size() > 1 ? in_plural(text) : text);
    return lines;
  }

 private:
  using Group = std::pair<std::string, std::vector<int>>;
  std::vector<Group> groups_;
};

std::string render_reasons(const std::vector<KnownRun>& points) {
  TextsOfPoints reasons;
  TextsOfPoints warnings;
  for (int number = 0; number < std::ssize(points); ++number) {
    const RunStatus& point = points[static_cast<std::size_t>(number)].status;
    if (auto reason = render_reason(point); !reason.empty()) reasons.add(" " + reason, number);
    for (const auto& attempt : point.attempts) {
      for (const auto& warning : attempt.warnings) warnings.add(", warning: " + warning, number);
    }
  }
  return reasons.render() + warnings.render();
}

}  // namespace

std::string render_sweep_table(const KnownRun& sweep, std::chrono::system_clock::time_point now,
                               std::optional<std::size_t> columns) {
  const auto metrics = metrics_of(sweep);
  std::vector<std::vector<std::string>> rows{render_head(*sweep.sweep, metrics)};
  for (std::size_t number = 0; number < sweep.points.size(); ++number)
    rows.push_back(render_row(number, sweep, metrics, now));
  return render_table(rows) + wrap_lines(render_reasons(sweep.points), columns);
}

std::string render_point_values(const SweepRecord& sweep, std::size_t point) {
  const auto names = shorten_keys(sweep.keys);
  std::string text;
  for (std::size_t key = 0; key < names.size(); ++key) {
    text += fmt::format("{}{} {}", key == 0 ? "" : ", ", names[key],
                        render_sweep_value(sweep.points[point][key]));
  }
  return text;
}

std::string render_point(const SweepRecord& sweep, std::size_t point) {
  const auto values = render_point_values(sweep, point);
  return fmt::format("point {}{}{}", point, values.empty() ? "" : ": ", values);
}

}  // namespace ddp::cli
