#include "cli/report/model/rank_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ddp::cli {
namespace {

struct ToldRanks {
  std::size_t records = 0;                  ///< that tell of ranks
  std::map<int, std::int64_t> counts = {};  ///< of the records that tell of a rank
  bool slowest_only = false;
};

bool is_of_slowest(const MetricsRecord& record) {
  for (std::size_t i = 0; i < record.rank_ms.size(); ++i)
    if (record.rank_ms[i].rank != static_cast<int>(i)) return true;
  return false;
}

ToldRanks count_ranks(const MergedMetrics& records) {
  ToldRanks told;
  for (const auto record : records) {
    if (record.rank_ms.empty()) continue;
    ++told.records;
    told.slowest_only = told.slowest_only || is_of_slowest(record);
    for (const auto& time : record.rank_ms) ++told.counts[time.rank];
  }
  return told;
}

/// Sorted.
std::vector<int> ranks_to_show(const std::map<int, std::int64_t>& counts) {
  std::vector<std::pair<std::int64_t, int>> order;
  for (const auto& [rank, count] : counts) order.emplace_back(-count, rank);
  std::ranges::sort(order);
  if (order.size() > kMostRankRows) order.resize(kMostRankRows);
  std::vector<int> ranks;
  for (const auto& [count, rank] : order) ranks.push_back(rank);
  std::ranges::sort(ranks);
  return ranks;
}

/// The sum of the times of a column, and how many there are, by rank.
using ColumnSums = std::map<int, std::pair<double, double>>;

void add_times(const MetricsRecord& record, ColumnSums& sums) {
  for (const auto& time : record.rank_ms) {
    if (!std::isfinite(time.ms)) continue;
    auto& [sum, count] = sums[time.rank];
    sum += time.ms;
    count += 1;
  }
}

void end_column(RankTimes& times, const ColumnSums& sums) {
  for (std::size_t row = 0; row < times.ranks.size(); ++row) {
    const auto found = sums.find(times.ranks[row]);
    times.ms[row].push_back(found == sums.end() ? std::nullopt
                                                : std::optional(found->second.first / found->second.second));
  }
}

}  // namespace

RankTimes reduce_rank_times(const MergedMetrics& records, std::size_t most_columns) {
  const auto told = count_ranks(records);
  RankTimes times{.ranks = ranks_to_show(told.counts), .slowest_only = told.slowest_only};
  times.ms.resize(times.ranks.size());
  const auto columns = std::min(told.records, most_columns);
  std::size_t taken = 0;
  ColumnSums sums;
  for (const auto record : records) {
    if (record.rank_ms.empty()) continue;
    if (taken++ == begin_of_bucket(times.buckets.size(), columns, told.records)) {
      if (!times.buckets.empty()) end_column(times, std::exchange(sums, {}));
      times.buckets.push_back({record.step, record.time, record.attempt, 0});
    }
    ++times.buckets.back().records;
    add_times(record, sums);
  }
  if (!times.buckets.empty()) end_column(times, sums);
  return times;
}

}  // namespace ddp::cli
