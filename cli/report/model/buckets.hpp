#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobenv/record/metrics/merged_metrics.hpp"

namespace ddp::cli {

/// Records that follow each other and that a plot shows as one.
struct Bucket {
  std::int64_t step = 0;                                           ///< of its first record
  std::optional<std::chrono::system_clock::time_point> time = {};  ///< likewise
  int attempt = 0;                                                 ///< likewise
  std::int64_t records = 0;
};

/// What a metric is in a bucket.
struct BucketValue {
  double lowest = 0;
  double mean = 0;
  double highest = 0;
};

using BucketValues = std::vector<std::optional<BucketValue>>;

struct ReducedMetric {
  std::string name;
  BucketValues values;  ///< one of each bucket; nullopt: no record of it has the metric
  double last = 0;      ///< its last value
};

/// The records of one kind.
struct ReducedRecords {
  std::string kind;
  std::int64_t records = 0;
  std::vector<Bucket> buckets;
  std::vector<ReducedMetric> metrics;  ///< as metrics_fields(), then the others by name
};

/// How many buckets a plot has.
inline constexpr std::size_t kMostBuckets = 2000;

/// Where bucket `index` of `buckets` begins in a list of `records`.
[[nodiscard]] std::size_t begin_of_bucket(std::size_t index, std::size_t buckets, std::size_t records);

/// One of each kind that has numbers. There are at most `most_buckets` of each kind, whose numbers of records
/// differ by one at most. Skips values that are not finite.
[[nodiscard]] std::vector<ReducedRecords> reduce_records(const MergedMetrics& records,
                                                         std::size_t most_buckets = kMostBuckets);

/// The same with fewer buckets.
[[nodiscard]] std::vector<Bucket> join_buckets(std::span<const Bucket> buckets, std::size_t most_buckets);
/// `values` of the same buckets; a bucket counts by its records.
[[nodiscard]] BucketValues join_values(const BucketValues& values, std::span<const Bucket> buckets,
                                       std::size_t most_buckets);

/// nullptr: there is none.
[[nodiscard]] const ReducedRecords* find_kind(std::span<const ReducedRecords> series, std::string_view kind);
[[nodiscard]] const ReducedMetric* find_metric(const ReducedRecords& records, std::string_view name);
/// nullptr: there is none.
[[nodiscard]] const ReducedMetric* find_metric(std::span<const ReducedRecords> series, std::string_view kind,
                                               std::string_view name);

}  // namespace ddp::cli
