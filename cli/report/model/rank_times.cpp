#include "cli/report/model/rank_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ddp::cli {
namespace {

using RecordList = std::vector<const MetricsRecord*>;

RecordList records_with_ranks(std::span<const MetricsRecord> records) {
  RecordList with_ranks;
  for (const auto& record : records)
    if (!record.rank_ms.empty()) with_ranks.push_back(&record);
  return with_ranks;
}

/// Sorted.
std::vector<int> ranks_to_show(const RecordList& records) {
  std::map<int, std::int64_t> counts;
  for (const auto* record : records)
    for (const auto& time : record->rank_ms) ++counts[time.rank];
  std::vector<std::pair<std::int64_t, int>> order;
  for (const auto& [rank, count] : counts) order.emplace_back(-count, rank);
  std::ranges::sort(order);
  if (order.size() > kMostRankRows) order.resize(kMostRankRows);
  std::vector<int> ranks;
  for (const auto& [count, rank] : order) ranks.push_back(rank);
  std::ranges::sort(ranks);
  return ranks;
}

bool is_of_slowest(const MetricsRecord& record) {
  for (std::size_t i = 0; i < record.rank_ms.size(); ++i)
    if (record.rank_ms[i].rank != static_cast<int>(i)) return true;
  return false;
}

/// The times of the records from `begin` to `end`, as a column.
void add_column(RankTimes& times, std::span<const MetricsRecord* const> records) {
  std::map<int, std::pair<double, double>> sums;
  for (const auto* record : records) {
    for (const auto& time : record->rank_ms) {
      if (!std::isfinite(time.ms)) continue;
      auto& [sum, count] = sums[time.rank];
      sum += time.ms;
      count += 1;
    }
  }
  for (std::size_t row = 0; row < times.ranks.size(); ++row) {
    const auto found = sums.find(times.ranks[row]);
    times.ms[row].push_back(found == sums.end() ? std::nullopt
                                                : std::optional(found->second.first / found->second.second));
  }
}

}  // namespace

RankTimes reduce_rank_times(std::span<const MetricsRecord> records, std::size_t most_columns) {
  const auto told = records_with_ranks(records);
  RankTimes times;
  if (told.empty()) return times;
  times.ranks = ranks_to_show(told);
  times.ms.resize(times.ranks.size());
  times.slowest_only = std::ranges::any_of(told, [](const auto* record) { return is_of_slowest(*record); });
  const auto columns = std::min(told.size(), most_columns);
  for (std::size_t column = 0; column < columns; ++column) {
    const auto begin = begin_of_bucket(column, columns, told.size());
    const auto end = begin_of_bucket(column + 1, columns, told.size());
    const auto& first = *told[begin];
    times.buckets.push_back({first.step, first.time, first.attempt, static_cast<std::int64_t>(end - begin)});
    add_column(times, std::span(told).subspan(begin, end - begin));
  }
  return times;
}

}  // namespace ddp::cli
