#include "cli/store/metrics/checkpoint_records.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

CheckpointRecord record(std::int64_t step, double stall, double write, int time) {
  return {.attempt = 0,
          .step = step,
          .stall = std::chrono::duration<double>(stall),
          .write = std::chrono::duration<double>(write),
          .time = system_clock::time_point{seconds(time)}};
}

TEST(CheckpointRecords, AreReadFromTheLinesOfOthers) {
  std::istringstream lines(
      R"({"kind":"first_step","attempt":0,"step":1,"time":"2026-11-21T05:20:17.123Z"})"
      "\n"
      R"({"kind":"checkpoint","attempt":2,"step":40,"epoch":1,"time":"2026-11-21T05:20:18.123Z","stall_ms":2.5,"write_ms":15})"
      "\n"
      R"({"kind":"checkpoint","attempt":2,"step":80,"stall_ms":2.5,"write)");
  const auto records = parse_checkpoint_records(lines);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].attempt, 2);
  EXPECT_EQ(records[0].step, 40);
  EXPECT_DOUBLE_EQ(records[0].stall.count(), 0.0025);
  EXPECT_DOUBLE_EQ(records[0].write.count(), 0.015);
}

TEST(CheckpointRecords, TheCostIsTheMedian) {
  const auto cost =
      cost_of_checkpoint({record(10, 0.1, 2, 10), record(20, 0.2, 3, 20), record(30, 0.9, 1, 30)}, 100);
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(cost->stall.count(), 0.2);
  EXPECT_DOUBLE_EQ(cost->write.count(), 2);
}

TEST(CheckpointRecords, WhatHadToWaitForTheOneBeforeDoesNotCount) {
  // The second began 9 s ahead of 18 s, when the first was not on disk yet.
  const auto cost = cost_of_checkpoint({record(10, 1, 8, 10), record(20, 5, 8, 18)}, 100);
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(cost->stall.count(), 1);
}

TEST(CheckpointRecords, ThatOfTheEndDoesNotCount) {
  EXPECT_FALSE(cost_of_checkpoint({record(100, 4, 4, 10)}, 100));
  EXPECT_FALSE(cost_of_checkpoint({}, 100));
}

}  // namespace
}  // namespace ddp::cli
