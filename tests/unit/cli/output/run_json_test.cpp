#include "cli/output/run_json.hpp"

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
            (nlohmann::json{{"step", 40}, {"folder", "/c"}, {"parameters", nullptr}}));
}

}  // namespace
}  // namespace ddp::cli
