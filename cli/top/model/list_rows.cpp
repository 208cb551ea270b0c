#include "cli/top/model/list_rows.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include "cli/output/run/sweep_table.hpp"
#include "cli/top/model/run_facts.hpp"

namespace ddp::cli {
namespace {

constexpr double kMostSeconds = 1e12;
constexpr double kUnknown = std::numeric_limits<double>::max();

constexpr auto kSorts = std::to_array<std::pair<SortBy, std::string_view>>({
    {SortBy::activity, "activity"},
    {SortBy::newest, "age"},
    {SortBy::name, "name"},
    {SortBy::progress, "progress"},
    {SortBy::left, "time left"},
    {SortBy::loss, "loss"},
});

SortBy move_in_sorts(SortBy sort, std::size_t by) {
  const auto place = static_cast<std::size_t>(sort);
  return kSorts.at((place + by) % kSorts.size()).first;
}

int rank_of_state(const KnownRun& run) {
  switch (run.status.state) {
    case RunState::running:
    case RunState::restarting:
      return 0;
    case RunState::queued:
      return 1;
    case RunState::unknown:
      return 2;
    default:
      return 3;
  }
}

double since_epoch(const std::optional<std::chrono::system_clock::time_point>& time) {
  return time ? std::chrono::duration<double>(time->time_since_epoch()).count() : 0;
}

/// The lowest comes first.
double key_of(const KnownRun& run, SortBy sort) {
  switch (sort) {
    case SortBy::activity:
      return rank_of_state(run) -
             (is_final(run.status.state) ? since_epoch(run.status.ended) / kMostSeconds : 0);
    case SortBy::progress:
      return -done_share(run).value_or(-1);
    case SortBy::left: {
      const auto left = time_to_end(run);
      return left ? static_cast<double>(left->count()) : kUnknown;
    }
    case SortBy::loss:
      return current_loss(run).value_or(kUnknown);
    case SortBy::newest:
    case SortBy::name:
      break;
  }
  return 0;
}

/// What is not told apart stays in its order.
void sort_rows(RunRows& rows, SortBy sort) {
  if (sort == SortBy::name) {
    std::ranges::stable_sort(rows, {},
                             [](const KnownRun* run) { return std::string_view(run->pointer.run_id); });
    return;
  }
  std::vector<std::pair<double, const KnownRun*>> keyed;
  keyed.reserve(rows.size());
  for (const auto* run : rows) keyed.emplace_back(key_of(*run, sort), run);
  std::ranges::stable_sort(keyed, {}, &std::pair<double, const KnownRun*>::first);
  std::ranges::transform(keyed, rows.begin(), &std::pair<double, const KnownRun*>::second);
}

bool matches(const KnownRun& run, std::string_view filter) {
  const auto holds = [filter](std::string_view text) { return text.find(filter) != text.npos; };
  return filter.empty() || holds(run.pointer.run_id) || holds(run.pointer.launcher) ||
         holds(run.status.job_id) || holds(words_of(run.status.state));
}

bool holds_value(const KnownRun& sweep, const KnownRun& point, std::string_view filter) {
  const auto number = static_cast<std::size_t>(&point - sweep.points.data());
  if (!sweep.sweep || number >= sweep.sweep->points.size()) return false;
  return render_point(*sweep.sweep, number).find(filter) != std::string::npos;
}

}  // namespace

std::string_view name_of(SortBy sort) {
  return kSorts.at(static_cast<std::size_t>(sort)).second;
}

SortBy next_of(SortBy sort) {
  return move_in_sorts(sort, 1);
}

SortBy previous_of(SortBy sort) {
  return move_in_sorts(sort, kSorts.size() - 1);
}

RunRows list_runs(const TopData& data, SortBy sort, std::string_view filter) {
  RunRows rows;
  for (const auto& one : data.runs)
    if (!one.gone && matches(one.run, filter)) rows.push_back(&one.run);
  sort_rows(rows, sort);
  return rows;
}

RunRows list_points(const KnownRun& sweep, SortBy sort, std::string_view filter) {
  RunRows rows;
  for (const auto& point : sweep.points)
    if (matches(point, filter) || holds_value(sweep, point, filter)) rows.push_back(&point);
  if (sort != SortBy::activity) sort_rows(rows, sort);
  return rows;
}

}  // namespace ddp::cli
