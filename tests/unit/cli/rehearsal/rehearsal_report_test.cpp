#include "cli/rehearsal/rehearsal_report.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::system_clock;

system_clock::time_point at(double second) {
  return system_clock::time_point{
      std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(second))};
}

AttemptStatus stopped_attempt() {
  AttemptStatus attempt;
  attempt.last_step = 118;
  attempt.ended = at(10.3);
  return attempt;
}

TEST(RehearsalReport, OfTheStopHasItsStepsAndTimes) {
  RunStatus run;
  run.attempts = {stopped_attempt()};
  TrainingHistory history;
  history[1].first_step = TimedStep{.step = 119, .trained = {}, .time = at(12.9)};
  const auto report = report_stop(run, history, {.seen_step = 112, .time = at(10)}, at(12));
  EXPECT_EQ(report.seen_step, 112);
  EXPECT_EQ(report.last_step, 118);
  EXPECT_EQ(report.lost_steps, 0);
  EXPECT_EQ(report.stopped_after, milliseconds(300));
  EXPECT_EQ(report.stepped_again_after, milliseconds(900));
}

TEST(RehearsalReport, OfAStopWhoseCheckpointWasNotTakenCountsLostSteps) {
  RunStatus run;
  run.attempts = {stopped_attempt()};
  TrainingHistory history;
  EXPECT_EQ(report_stop(run, history, {}, at(12)).lost_steps, std::nullopt);
  history[1].first_step = TimedStep{.step = 101, .trained = {}, .time = at(13)};
  EXPECT_EQ(report_stop(run, history, {}, at(12)).lost_steps, 18);
}

TEST(RehearsalReport, OfTheKillIsThatOfTheAttempt) {
  RunReport run;
  AttemptReport attempt;
  attempt.cause.emplace().last_step = 287;
  attempt.lost_steps = 12;
  attempt.detected_after = milliseconds(3);
  run.attempts = {attempt, {}};
  const auto report = report_kill(run, 1, {.seen_step = 285});
  EXPECT_EQ(report.last_step, 287);
  EXPECT_EQ(report.lost_steps, 12);
  EXPECT_EQ(report.detected_after, milliseconds(3));
  EXPECT_EQ(report.stepped_again_after, std::nullopt);
}

TEST(RehearsalReport, TheFirstStepDoesNotCountForTheTimeOfAStep) {
  TrainingHistory history;
  EXPECT_EQ(time_of_step(history), std::nullopt);
  history[0].steps = {{1, seconds(9)}, {41, seconds(13)}, {101, seconds(19)}};
  EXPECT_DOUBLE_EQ(time_of_step(history)->count(), 0.1);
  history[0].steps = {{1, seconds(9)}};
  EXPECT_DOUBLE_EQ(time_of_step(history)->count(), 9);
}

TEST(RehearsalReport, NoIntervalIsShorterThanAWriteOrAStep) {
  RehearsalReport report;
  report.mtbf = seconds(7200);
  EXPECT_EQ(recommend_interval(report), std::nullopt);
  report.checkpoint = CheckpointCost{.stall = seconds(1), .write = seconds(5)};
  EXPECT_NEAR(recommend_interval(report)->count(), 119.3, 0.1);
  report.checkpoint->write = seconds(300);
  EXPECT_EQ(*recommend_interval(report), seconds(300));
  report.step = seconds(400);
  EXPECT_EQ(*recommend_interval(report), seconds(400));
}

TEST(RehearsalReport, TheKeyOfAnIntervalIsInWholeSeconds) {
  EXPECT_EQ(render_interval_key(milliseconds(507'111)), "train.checkpoint.every: 8m28s");
  EXPECT_EQ(render_interval_key(milliseconds(20)), "train.checkpoint.every: 1s");
}

}  // namespace
}  // namespace ddp::cli
