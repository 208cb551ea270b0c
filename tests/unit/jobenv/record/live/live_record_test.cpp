#include "jobenv/record/live/live_record.hpp"

#include <gtest/gtest.h>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

LiveRecord some_record() {
  LiveRecord record{.attempt = 1,
                    .time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1700000000123)),
                    .total_steps = 900,
                    .seconds_per_step = 0.25,
                    .job_end = std::chrono::system_clock::time_point(std::chrono::seconds(1700003600)),
                    .metrics = {{"loss", 0.5}},
                    .summary = {},
                    .ranks = {}};
  record.summary.ranks = 1;
  record.summary.phases = {{"download", 1}};
  record.ranks.push_back({.rank = 0,
                          .host = "n1",
                          .phase = *PhaseName::parse("download"),
                          .step = 7,
                          .cpu_percent = 98.5,
                          .memory_bytes = 4096,
                          .process = "running"});
  return record;
}

TEST(LiveRecord, ComesBack) {
  const auto record = some_record();
  const auto parsed = parse_live_record(to_json(record));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, record);
}

TEST(LiveRecord, IsLoadedForItsAttemptAlone) {
  const TemporaryFolder folder;
  const RunFolder run(folder.path());
  EXPECT_FALSE(load_live_record(run, 1)) << "there is none";
  ASSERT_TRUE(save_file(run.live(), to_json(some_record()).dump(), Durability::visible));
  EXPECT_TRUE(load_live_record(run, 1));
  EXPECT_FALSE(load_live_record(run, 2));
  ASSERT_TRUE(save_file(run.live(), "{", Durability::visible));
  EXPECT_FALSE(load_live_record(run, 1)) << "it cannot be read";
}

}  // namespace
}  // namespace ddp
