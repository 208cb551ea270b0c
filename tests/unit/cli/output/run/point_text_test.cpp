#include "cli/output/run/point_text.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cli/output/run/known_runs.hpp"

namespace ddp::cli {
namespace {

SweepRecord two_points() {
  return {
      .keys = {"train.optimizer.learning_rate", "train.seed"}, .points = {{0.1, 1}, {0.1, 2}}, .at_once = {}};
}

TEST(PointText, NamesTheSettingsOfAPointThatStarts) {
  EXPECT_EQ(render_point_start(two_points(), 1), "point 1 (learning_rate 0.1, seed 2) starts");
}

TEST(PointText, OfSuccessHasTheLastMetrics) {
  auto point = make_run(RunState::succeeded);
  EXPECT_EQ(render_point_end(two_points(), 0, point),
            "point 0 (learning_rate 0.1, seed 1) succeeded in 12.0 s");
  point.progress = TrainingProgress{
      .kind = "evaluate", .step = 50, .total_steps = 50, .epoch = 2, .loss = 0.5, .accuracy = 0.25};
  EXPECT_EQ(render_point_end(two_points(), 0, point),
            "point 0 (learning_rate 0.1, seed 1) succeeded in 12.0 s: step 50 of 50, epoch 2, test loss "
            "0.5000, accuracy 0.2500");
}

TEST(PointText, OfFailureIsOneLineWithTheReason) {
  auto point = make_run(RunState::failed);
  point.status.message = "rank 0 on n1 exited with code 1\nand more";
  EXPECT_EQ(render_point_end(two_points(), 0, point),
            "point 0 (learning_rate 0.1, seed 1) failed: rank 0 on n1 exited with code 1");
}

TEST(PointText, OfPointsThatNeverStarted) {
  EXPECT_EQ(render_unstarted_points({3}), "point 3 was cancelled before it started");
  EXPECT_EQ(render_unstarted_points({1, 2, 4}), "points 1-2,4 were cancelled before they started");
}

}  // namespace
}  // namespace ddp::cli
