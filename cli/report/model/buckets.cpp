#include "cli/report/model/buckets.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ddp::cli {
namespace {

/// Collects the values of a bucket; those of joined buckets have weights.
class ValueSum {
 public:
  void add(const BucketValue& value, double weight) {
    if (!std::isfinite(value.mean)) return;
    lowest_ = weight_ == 0 ? value.lowest : std::min(lowest_, value.lowest);
    highest_ = weight_ == 0 ? value.highest : std::max(highest_, value.highest);
    sum_ += value.mean * weight;
    weight_ += weight;
  }

  [[nodiscard]] std::optional<BucketValue> finish() const {
    if (weight_ == 0) return std::nullopt;
    return BucketValue{lowest_, std::clamp(sum_ / weight_, lowest_, highest_), highest_};
  }

 private:
  double lowest_ = 0, highest_ = 0, sum_ = 0, weight_ = 0;
};

std::size_t count_of_buckets(std::size_t records, std::size_t most_buckets) {
  return std::min(records, std::max<std::size_t>(most_buckets, 1));
}

/// The records of one kind, which come one after the other.
class KindReducer {
 public:
  KindReducer(std::string kind, std::size_t records, std::size_t buckets)
      : reduced_{std::move(kind), static_cast<std::int64_t>(records), {}, {}},
        records_(records),
        buckets_(buckets) {}

  void add(const MetricsRecord& record) {
    if (taken_ == begin_of_bucket(reduced_.buckets.size(), buckets_, records_)) begin_bucket(record);
    ++taken_;
    ++reduced_.buckets.back().records;
    for (const auto& number : numbers_of(record)) add(number);
  }

  [[nodiscard]] ReducedRecords finish() && {
    end_bucket();
    for (const auto& field : metrics_fields()) take(std::string(field.name));
    while (!metrics_.empty()) take(metrics_.begin()->first);
    return std::move(reduced_);
  }

 private:
  struct Metric {
    ReducedMetric reduced;
    ValueSum sum = {};
  };

  void begin_bucket(const MetricsRecord& record) {
    end_bucket();
    reduced_.buckets.push_back({record.step, record.time, record.attempt, 0});
  }

  void end_bucket() {
    for (auto& [name, metric] : metrics_) {
      metric.reduced.values.resize(reduced_.buckets.size());
      if (!reduced_.buckets.empty()) metric.reduced.values.back() = metric.sum.finish();
      metric.sum = {};
    }
  }

  void add(const NamedNumber& number) {
    if (!std::isfinite(number.value)) return;
    auto& metric = metrics_[number.name];
    metric.sum.add({number.value, number.value, number.value}, 1);
    metric.reduced.last = number.value;
  }

  void take(const std::string& name) {
    const auto found = metrics_.find(name);
    if (found == metrics_.end()) return;
    found->second.reduced.name = name;
    reduced_.metrics.push_back(std::move(found->second.reduced));
    metrics_.erase(found);
  }

  ReducedRecords reduced_;
  std::size_t records_;
  std::size_t buckets_;
  std::size_t taken_ = 0;
  std::map<std::string, Metric> metrics_;
};

}  // namespace

std::size_t begin_of_bucket(std::size_t index, std::size_t buckets, std::size_t records) {
  return index * records / buckets;
}

std::vector<ReducedRecords> reduce_records(const MergedMetrics& records, std::size_t most_buckets) {
  std::map<std::string, std::size_t> counts;
  for (const auto record : records) ++counts[record.kind];
  std::map<std::string, KindReducer> reducers;
  for (const auto& [kind, count] : counts)
    reducers.try_emplace(kind, kind, count, count_of_buckets(count, most_buckets));
  for (const auto record : records) reducers.at(record.kind).add(record);
  std::vector<ReducedRecords> reduced;
  for (auto& [kind, reducer] : reducers) {
    auto one = std::move(reducer).finish();
    if (!one.metrics.empty()) reduced.push_back(std::move(one));
  }
  return reduced;
}

std::vector<Bucket> join_buckets(std::span<const Bucket> buckets, std::size_t most_buckets) {
  std::vector<Bucket> joined;
  const auto count = count_of_buckets(buckets.size(), most_buckets);
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (i == begin_of_bucket(joined.size(), count, buckets.size()))
      joined.push_back(buckets[i]);
    else
      joined.back().records += buckets[i].records;
  }
  return joined;
}

BucketValues join_values(const BucketValues& values, std::span<const Bucket> buckets,
                         std::size_t most_buckets) {
  const auto count = count_of_buckets(values.size(), most_buckets);
  BucketValues joined;
  for (std::size_t index = 0; index < count; ++index) {
    ValueSum sum;
    const auto end = begin_of_bucket(index + 1, count, values.size());
    for (auto i = begin_of_bucket(index, count, values.size()); i < end; ++i)
      if (values[i]) sum.add(*values[i], static_cast<double>(buckets[i].records));
    joined.push_back(sum.finish());
  }
  return joined;
}

const ReducedRecords* find_kind(std::span<const ReducedRecords> series, std::string_view kind) {
  const auto found = std::ranges::find(series, kind, &ReducedRecords::kind);
  return found == series.end() ? nullptr : &*found;
}

const ReducedMetric* find_metric(const ReducedRecords& records, std::string_view name) {
  const auto found = std::ranges::find(records.metrics, name, &ReducedMetric::name);
  return found == records.metrics.end() ? nullptr : &*found;
}

const ReducedMetric* find_metric(std::span<const ReducedRecords> series, std::string_view kind,
                                 std::string_view name) {
  const auto* records = find_kind(series, kind);
  return records == nullptr ? nullptr : find_metric(*records, name);
}

}  // namespace ddp::cli
