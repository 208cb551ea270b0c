#include "jobenv/record/metrics/metrics_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "jobenv/record/metrics/metrics_series.hpp"
#include "tests/support/places.hpp"

namespace ddp {
namespace {

using testing::ElementsAre;

MetricsRecord record_of(std::string_view kind, int attempt, std::int64_t step) {
  return {.kind = std::string(kind),
          .attempt = attempt,
          .step = step,
          .epoch = 1,
          .time = std::chrono::system_clock::time_point(std::chrono::seconds(1))};
}

/// A record in which every number has a value of its own.
MetricsRecord full_record() {
  auto record = record_of(metrics_kind::kTrain, 2, 50);
  int next = 1;
  for (const auto& field : metrics_fields())
    std::visit([&](auto member) { record.*member = next++; }, field.member);
  record.message = "said";
  return record;
}

std::vector<double> values_of(const std::vector<MetricsPoint>& points) {
  std::vector<double> values;
  for (const auto& point : points) values.push_back(point.value);
  return values;
}

TEST(MetricsRecord, IsALineInTheOrderThatItHasAlwaysHad) {
  auto record = record_of(metrics_kind::kEvaluate, 0, 100);
  record.loss = 0.25;
  record.accuracy = 0.5;
  record.samples = 10;
  record.samples_per_second = 2.5;
  EXPECT_EQ(render_metrics_record(record),
            R"({"kind":"evaluate","attempt":0,"step":100,"epoch":1,"loss":0.25,"accuracy":0.5,"samples":10,)"
            R"("time":"1970-01-01T00:00:01.000Z","samples_per_second":2.5})");
  auto checkpoint = record_of(metrics_kind::kCheckpoint, 1, 7);
  checkpoint.trained_ms = 1.5;
  checkpoint.bytes = 2;
  checkpoint.stall_ms = 3.5;
  checkpoint.write_ms = 4.5;
  checkpoint.slowdown = 5.5;
  EXPECT_EQ(render_metrics_record(checkpoint),
            R"({"kind":"checkpoint","attempt":1,"step":7,"epoch":1,"time":"1970-01-01T00:00:01.000Z",)"
            R"("trained_ms":1.5,"bytes":2,"stall_ms":3.5,"write_ms":4.5,"slowdown":5.5})");
  auto lost = record_of(metrics_kind::kCheckpointFailed, 1, 7);
  lost.message = "no room \xff";
  EXPECT_EQ(render_metrics_record(lost),
            "{\"kind\":\"checkpoint_failed\",\"attempt\":1,\"step\":7,\"epoch\":1,"
            "\"time\":\"1970-01-01T00:00:01.000Z\",\"message\":\"no room \xef\xbf\xbd\"}");
}

TEST(MetricsRecord, OfATrainingHasItsNumbersInTheirOrder) {
  auto train = record_of(metrics_kind::kTrain, 0, 50);
  train.loss = 0.5;
  train.accuracy = 0.25;
  train.samples = 640;
  train.total_steps = 100;
  train.learning_rate = 0.125;
  train.gradient_norm = 1.5;
  train.samples_per_second = 2.5;
  train.step_ms_p50 = 3.5;
  train.step_ms_p90 = 4.5;
  train.step_ms_p99 = 5.5;
  train.step_ms_max = 6.5;
  train.data_wait_ms = 7.5;
  train.forward_ms = 8.5;
  train.backward_ms = 9.5;
  train.update_ms = 10.5;
  train.exposed_communication_ms = 11.5;
  train.slowest_rank = 3;
  train.slowest_rank_ms = 12.5;
  train.slowest_rank_data_wait_ms = 13.5;
  train.median_rank_ms = 14.5;
  train.trained_ms = 15.5;
  train.memory_bytes = 16;
  train.peak_memory_bytes = 17;
  train.gpu_utilization = 0.75;
  train.gpu_memory_bytes = 18;
  train.peak_gpu_memory_bytes = 19;
  EXPECT_EQ(
      render_metrics_record(train),
      R"({"kind":"train","attempt":0,"step":50,"epoch":1,"loss":0.5,"accuracy":0.25,"samples":640,)"
      R"("time":"1970-01-01T00:00:01.000Z","total_steps":100,"learning_rate":0.125,"gradient_norm":1.5,)"
      R"("samples_per_second":2.5,"step_ms_p50":3.5,"step_ms_p90":4.5,"step_ms_p99":5.5,"step_ms_max":6.5,)"
      R"("data_wait_ms":7.5,"forward_ms":8.5,"backward_ms":9.5,"update_ms":10.5,)"
      R"("exposed_communication_ms":11.5,"slowest_rank":3,"slowest_rank_ms":12.5,)"
      R"("slowest_rank_data_wait_ms":13.5,"median_rank_ms":14.5,"trained_ms":15.5,"memory_bytes":16,)"
      R"("peak_memory_bytes":17,"gpu_utilization":0.75,"gpu_memory_bytes":18,"peak_gpu_memory_bytes":19})");
}

TEST(MetricsRecord, IsReadAsItWasWritten) {
  const auto line = render_metrics_record(full_record());
  const auto again = parse_metrics_record(line);
  ASSERT_TRUE(again);
  EXPECT_EQ(render_metrics_record(*again), line);
  EXPECT_EQ(again->slowdown, static_cast<double>(metrics_fields().size()));
}

TEST(MetricsRecord, HoldsTheTimesOfAllRanksOrOfTheSlowest) {
  MetricsRecord record{.kind = "train", .step = 7, .rank_ms = {{0, 1.5}, {1, 2.12345678}}};
  EXPECT_EQ(render_metrics_record(record), R"({"kind":"train","attempt":0,"step":7,"rank_ms":[1.5,2.123]})");
  EXPECT_EQ(parse_metrics_record(render_metrics_record(record))->rank_ms,
            (std::vector<RankStepTime>{{0, 1.5}, {1, 2.123}}));
  record.rank_ms = {{70, 9.0}, {3, 8.5}};
  EXPECT_EQ(render_metrics_record(record),
            R"({"kind":"train","attempt":0,"step":7,"slowest_ranks_ms":[[70,9.0],[3,8.5]]})");
  EXPECT_EQ(parse_metrics_record(render_metrics_record(record))->rank_ms, record.rank_ms);
  for (const char* times :
       {R"("rank_ms":7)", R"("rank_ms":["x",null])", R"("slowest_ranks_ms":[[1],["a",2],3])"})
    EXPECT_TRUE(parse_metrics_record(R"({"attempt":1,"step":2,)" + std::string(times) + "}")->rank_ms.empty())
        << times;
}

TEST(MetricsRecord, WhatIsNoNumberHasNoValue) {
  const auto record = parse_metrics_record(R"({"attempt":1,"step":2,"loss":null,"samples":1.5,"bytes":"x"})");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->kind, "");
  EXPECT_FALSE(record->loss || record->samples || record->bytes || record->epoch || record->time);
  for (const char* line : {"", "7", "{", R"({"attempt":1})", R"({"attempt":"1","step":2})"})
    EXPECT_FALSE(parse_metrics_record(line)) << line;
}

TEST(MetricsRecord, KeepsNumbersUnderNamesOfAProgram) {
  const auto record = parse_metrics_record(
      R"({"kind":"train","attempt":0,"step":2,"time":7,"perplexity":4.5,"loss":1,"bleu":3,"x":null,"message":5})");
  ASSERT_TRUE(record);
  ASSERT_EQ(record->others.size(), 2u);
  EXPECT_EQ(record->others[0].name, "bleu");
  EXPECT_EQ(record->others[1].value, 4.5);
  const auto numbers = numbers_of(*record);
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_EQ(numbers[0].name, "loss");
  EXPECT_EQ(numbers[2].name, "perplexity");
  EXPECT_EQ(parse_metrics_record(render_metrics_record(*record))->others.size(), 2u);
}

TEST(MetricsRecord, ALossThatIsNoNumberIsNull) {
  auto record = record_of(metrics_kind::kTrain, 0, 1);
  record.loss = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(render_metrics_record(record).find(R"("loss":null)"), std::string::npos);
}

TEST(MetricsRecord, TheKindStandsAtTheBeginningOfALine) {
  EXPECT_EQ(kind_of_line(render_metrics_record(full_record())), "train");
  EXPECT_EQ(kind_of_line(R"({"attempt":0,"kind":"train"})"), "");
}

TEST(MetricsRecord, TheDocumentationHasEachNumber) {
  std::ifstream page(source_path("docs/trainer.md"));
  std::stringstream text;
  text << page.rdbuf();
  for (const auto& field : metrics_fields())
    EXPECT_NE(text.str().find("`" + std::string(field.name) + "`"), std::string::npos) << field.name;
}

TEST(MetricsSeries, AreTheValuesOfAField) {
  std::stringstream lines;
  for (std::int64_t step = 1; step <= 3; ++step) {
    auto record = record_of(metrics_kind::kTrain, 0, step);
    record.loss = 1.0 / static_cast<double>(step);
    lines << render_metrics_record(record) << "\n"
          << render_metrics_record(record_of("checkpoint", 0, step)) << "\ncut {\n";
  }
  const auto records = read_metrics(lines);
  EXPECT_EQ(records.size(), 6u);
  EXPECT_THAT(values_of(series_of(records, "loss")), ElementsAre(1.0, 0.5, 1.0 / 3));
  EXPECT_TRUE(series_of(records, "moon").empty());
}

TEST(MetricsSeries, StepsThatWereDoneAgainCountOnce) {
  std::vector<MetricsRecord> records;
  for (const auto& [attempt, step] : {std::pair{0, 10}, {0, 20}, {0, 30}, {1, 20}, {1, 40}}) {
    records.push_back(record_of(metrics_kind::kTrain, attempt, step));
    records.back().loss = 100 * attempt + step;
  }
  EXPECT_THAT(values_of(series_of(records, "loss")), ElementsAre(10, 120, 140));
}

TEST(MetricsSeries, AStepWithoutAValueReplacesThoseBeforeItAndALateLineNone) {
  std::vector<MetricsRecord> records;
  for (const auto& [attempt, step] : {std::pair{0, 10}, {0, 20}, {1, 20}, {0, 30}, {1, 40}}) {
    records.push_back(record_of(metrics_kind::kTrain, attempt, step));
    if (attempt != 1 || step != 20) records.back().loss = 100 * attempt + step;
  }
  EXPECT_THAT(values_of(series_of(records, "loss")), ElementsAre(10, 140));
}

TEST(MetricsSeries, OneKindIsReadAlone) {
  std::stringstream lines(render_metrics_record(record_of("train", 0, 1)) + "\n" +
                          render_metrics_record(record_of("evaluate", 0, 1)) +
                          "\n{\"attempt\":0,\"step\":2,\"kind\":\"evaluate\"}\n");
  EXPECT_EQ(read_metrics(lines, metrics_kind::kEvaluate).size(), 2u);
}

}  // namespace
}  // namespace ddp
