#include "cli/output/run/run_json.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

TEST(RunJson, CountsTheTimeOfARunThatGoesOn) {
  KnownRun run;
  run.status.state = RunState::running;
  run.status.started = system_clock::time_point{seconds(10)};
  const system_clock::time_point now{seconds(22)};
  EXPECT_EQ(to_json(run, now)["elapsed_seconds"], 12.0);
  EXPECT_EQ(describe_json(run, now)["elapsed_seconds"], 12.0);
  run.status.state = RunState::failed;  // without an end: its head died
  EXPECT_TRUE(to_json(run, now)["elapsed_seconds"].is_null());
}

TEST(RunJson, HasTheCheckpointOfATraining) {
  KnownRun run;
  EXPECT_TRUE(to_json(run, {})["checkpoint"].is_null());
  run.checkpoint = LatestCheckpoint{.step = 40, .folder = "/c", .parameters = {}};
  EXPECT_EQ(to_json(run, {})["checkpoint"],
            (nlohmann::json{{"step", 40}, {"folder", "/c"}, {"parameters", nullptr}, {"sharded", false}}));
  run.checkpoint->is_sharded = true;
  EXPECT_EQ(to_json(run, {})["checkpoint"]["sharded"], true);
}

TEST(RunJson, HasTheRecoveryOfARun) {
  KnownRun run;
  EXPECT_TRUE(to_json(run, {})["recovery"].is_null());
  run.report.emplace();
  run.report->attempts = {{.number = 0, .outcome = "failed", .cause = Cause{}},
                          {.number = 1, .outcome = "succeeded"}};
  run.report->attempts[0].cause->signal = 9;
  run.report->attempts[0].detected_after = std::chrono::milliseconds(47);
  run.report->failures = 1;
  run.report->trained = run.report->wall_clock = seconds(8);
  const auto recovery = to_json(run, {})["recovery"];
  EXPECT_EQ(recovery["attempts"][0]["cause"]["signal"], 9);
  EXPECT_FALSE(recovery["attempts"][0]["cause"].contains("stderr_tail"));
  EXPECT_FALSE(recovery["attempts"][0]["cause"].contains("likely_cause"));
  EXPECT_EQ(recovery["attempts"][0]["detect_seconds"], 0.047);
  EXPECT_TRUE(recovery["attempts"][1]["cause"].is_null());
  EXPECT_TRUE(recovery["lost_steps"].is_null());
  EXPECT_EQ(recovery["effective_training_time_ratio"], 1.0);
}

}  // namespace
}  // namespace ddp::cli
