#include "cli/report/model/buckets.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ddp::cli {
namespace {

MetricsRecord trained_record(std::int64_t step, std::optional<double> loss) {
  MetricsRecord record{.kind = "train", .step = step};
  record.loss = loss;
  return record;
}

std::vector<MetricsRecord> trained_records(std::int64_t steps) {
  std::vector<MetricsRecord> records;
  for (std::int64_t step = 1; step <= steps; ++step)
    records.push_back(trained_record(step, static_cast<double>(step)));
  return records;
}

TEST(Buckets, AreTheRecordsWhereThereAreFew) {
  const auto series = reduce_records(trained_records(3), 10);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].kind, "train");
  ASSERT_EQ(series[0].buckets.size(), 3u);
  EXPECT_EQ(series[0].buckets[2].step, 3);
  EXPECT_EQ(series[0].buckets[2].records, 1);
  const auto& loss = *find_metric(series[0], "loss");
  EXPECT_EQ(loss.values[1]->mean, 2);
  EXPECT_EQ(loss.last, 3);
}

TEST(Buckets, HoldLowestMeanAndHighestOfManyRecords) {
  const auto series = reduce_records(trained_records(100'001));
  const auto& records = series.at(0);
  ASSERT_EQ(records.buckets.size(), kMostBuckets);
  std::int64_t count = 0, next = 1;
  for (std::size_t i = 0; i < records.buckets.size(); ++i) {
    const auto& bucket = records.buckets[i];
    EXPECT_EQ(bucket.step, next);
    EXPECT_TRUE(bucket.records == 50 || bucket.records == 51);
    const auto& value = *records.metrics.at(0).values[i];
    EXPECT_EQ(value.lowest, static_cast<double>(next));
    EXPECT_EQ(value.highest, static_cast<double>(next + bucket.records - 1));
    EXPECT_DOUBLE_EQ(value.mean, (value.lowest + value.highest) / 2);
    next += bucket.records;
    count += bucket.records;
  }
  EXPECT_EQ(count, 100'001);
}

TEST(Buckets, PassOverWhatIsNoFiniteNumber) {
  std::vector<MetricsRecord> records{trained_record(1, 1.0),
                                     trained_record(2, std::numeric_limits<double>::infinity()),
                                     trained_record(3, std::nullopt), trained_record(4, 4.0)};
  const auto series = reduce_records(records, 2);
  const auto& loss = *find_metric(series.at(0), "loss");
  EXPECT_EQ(loss.values[0]->highest, 1);
  EXPECT_EQ(loss.values[1]->lowest, 4);
  records[3].loss.reset();
  EXPECT_FALSE(find_metric(reduce_records(records, 2).at(0), "loss")->values[1]);
}

TEST(Buckets, HaveEachKindByItselfAndOwnNumbersBehindTheKnown) {
  auto records = trained_records(2);
  records[1].others = {{"bleu", 7}};
  records.push_back({.kind = "evaluate", .step = 2});
  records.back().accuracy = 0.5;
  records.push_back({.kind = "empty", .step = 2});
  const auto series = reduce_records(records);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(find_metric(series, "evaluate", "accuracy")->last, 0.5);
  EXPECT_EQ(find_kind(series, "train")->metrics.at(1).name, "bleu");
  EXPECT_FALSE(find_metric(series, "train", "bleu")->values[0]);
  EXPECT_EQ(find_kind(series, "empty"), nullptr);
}

TEST(Buckets, AreJoinedByTheirNumbersOfRecords) {
  const auto series = reduce_records(trained_records(7), 3);  // of 2, 2 and 3 records
  const auto& records = series.at(0);
  const auto joined = join_buckets(records.buckets, 1);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].records, 7);
  const auto value = join_values(records.metrics.at(0).values, records.buckets, 1).at(0);
  EXPECT_DOUBLE_EQ(value->mean, 4);
  EXPECT_EQ(value->lowest, 1);
  EXPECT_EQ(value->highest, 7);
}

TEST(Buckets, OfNothingAreNone) {
  EXPECT_TRUE(reduce_records({}).empty());
  EXPECT_TRUE(join_buckets({}, 5).empty());
  EXPECT_TRUE(join_values({}, {}, 5).empty());
}

}  // namespace
}  // namespace ddp::cli
