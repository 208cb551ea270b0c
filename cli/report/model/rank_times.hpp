#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/report/model/buckets.hpp"
#include "jobenv/record/metrics/merged_metrics.hpp"

namespace ddp::cli {

/// How long each rank needed for a step, without waiting for others, in the course of a run.
struct RankTimes {
  std::vector<int> ranks = {};       ///< in order
  std::vector<Bucket> buckets = {};  ///< of the records that tell of ranks
  /// Mean milliseconds, by rank and bucket; nullopt: no record tells.
  std::vector<std::vector<std::optional<double>>> ms = {};
  bool slowest_only = false;  ///< the records tell only of the slowest ranks
};

inline constexpr std::size_t kMostRankColumns = 160;
inline constexpr std::size_t kMostRankRows = 64;

/// Of more than kMostRankRows ranks those that were told of most often are taken.
[[nodiscard]] RankTimes reduce_rank_times(const MergedMetrics& records,
                                          std::size_t most_columns = kMostRankColumns);

}  // namespace ddp::cli
