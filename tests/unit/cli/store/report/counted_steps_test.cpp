#include "cli/store/report/counted_steps.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cli/at.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;
using Seconds = std::chrono::duration<double>;

TimedStep timed(std::int64_t step, double trained, int time = 0) {
  return {step, Seconds(trained), at(time)};
}

AttemptTraining training(std::vector<TimedStep> steps) {
  return {steps.front(), std::move(steps)};
}

/// Of an attempt that came to `last_step`, of whose steps the next one does `lost` again.
AttemptStatus attempt(int number, std::optional<std::uint64_t> last_step, std::optional<std::uint64_t> lost) {
  AttemptStatus attempt;
  attempt.number = number;
  attempt.last_step = last_step;
  attempt.lost_steps = lost;
  return attempt;
}

TEST(CountedSteps, OfOneAttemptAreAllThatItHasToldOf) {
  const std::vector attempts{attempt(0, 100, {})};
  EXPECT_EQ(time_of_counted_steps(attempts, {{0, training({timed(1, 1), timed(100, 50)})}}, {}), Seconds(50));
}

TEST(CountedSteps, EndAtTheCheckpointThatTheNextAttemptWentOnFrom) {
  const TrainingHistory history{{0, training({timed(1, 1), timed(40, 21), timed(50, 26)})},
                                {1, training({timed(41, 2), timed(100, 32)})}};
  EXPECT_EQ(time_of_counted_steps(std::vector{attempt(0, 57, 17), attempt(1, 100, {})}, history, {}),
            Seconds(21 + 32));
}

TEST(CountedSteps, AreInterpolatedBetweenTwoRecords) {
  const TrainingHistory history{{0, training({timed(1, 5), timed(30, 20), timed(50, 30)})},
                                {1, training({timed(41, 2)})}};
  EXPECT_EQ(time_of_counted_steps(std::vector{attempt(0, 57, 17), attempt(1, 41, {})}, history, {}),
            Seconds(25 + 2));
}

TEST(CountedSteps, TakeTheEndOfTheAttemptWhereItsLastRecordIsEarlier) {
  auto killed = attempt(0, 41, 1);
  killed.cause.emplace().since = at(110);
  const TrainingHistory history{{0, training({timed(1, 5, 100)})}, {1, training({timed(41, 2)})}};
  EXPECT_EQ(time_of_counted_steps(std::vector{killed, attempt(1, 41, {})}, history, {}),
            Seconds(5 + 10 * 39.0 / 40 + 2));
  killed.cause->since = at(90);  // by a clock that is behind
  EXPECT_EQ(time_of_counted_steps(std::vector{killed, attempt(1, 41, {})}, history, {}), Seconds(5 + 2));
}

TEST(CountedSteps, BelieveTheFirstStepMoreThanTheLedger) {
  // Head took the checkpoint of step 40 for a good one; the ranks could not read it.
  const TrainingHistory history{{0, training({timed(1, 1), timed(20, 11), timed(40, 21)})},
                                {1, training({timed(21, 2), timed(100, 42)})}};
  EXPECT_EQ(time_of_counted_steps(std::vector{attempt(0, 57, 17), attempt(1, 100, {})}, history, {}),
            Seconds(11 + 42));
}

TEST(CountedSteps, OfEarlierAttemptsGoTooWhenALaterOneBeginsBeforeThem) {
  const TrainingHistory history{{0, training({timed(1, 1), timed(40, 40)})},
                                {1, training({timed(41, 1), timed(80, 40)})},
                                {2, training({timed(1, 1), timed(100, 100)})}};
  const std::vector attempts{attempt(0, 40, 0), attempt(1, 80, 80), attempt(2, 100, {})};
  EXPECT_EQ(time_of_counted_steps(attempts, history, {}), Seconds(100)) << "which began anew";
}

TEST(CountedSteps, OfARunThatFailedEndAtItsNewestCheckpoint) {
  const TrainingHistory history{{0, training({timed(1, 1), timed(40, 40), timed(50, 50)})}};
  EXPECT_EQ(time_of_counted_steps(std::vector{attempt(0, 57, {})}, history, 40), Seconds(40));
  EXPECT_EQ(time_of_counted_steps(std::vector{attempt(0, 57, {})}, history, 0), Seconds(0));
}

TEST(CountedSteps, OfAnAttemptThatDidNoneNeedNoRecords) {
  const TrainingHistory history{{0, training({timed(1, 1), timed(40, 40)})}};
  auto between = attempt(1, 40, 0);
  between.resumed_from = 40;
  EXPECT_EQ(time_of_counted_steps(std::vector{attempt(0, 45, 5), between, attempt(2, {}, {})}, history, {}),
            Seconds(40));
}

TEST(CountedSteps, AreUnknownWhereRecordsAreMissing) {
  const TrainingHistory second{{1, training({timed(41, 2), timed(100, 32)})}};
  EXPECT_FALSE(time_of_counted_steps(std::vector{attempt(0, 57, 17), attempt(1, 100, {})}, second, {}));
  EXPECT_FALSE(time_of_counted_steps(std::vector{attempt(0, {}, {})}, {}, {})) << "no training";
  EXPECT_FALSE(time_of_counted_steps({}, {}, {}));
}

TEST(CountedSteps, OfAnAttemptThatWasLostWithItsHeadAreThoseOfItsRecords) {
  const TrainingHistory history{{0, training({timed(1, 1), timed(40, 40), timed(50, 50)})}};
  EXPECT_EQ(time_of_counted_steps(std::vector{attempt(0, 50, 10), attempt(1, {}, {})}, history, {}),
            Seconds(40));
}

}  // namespace
}  // namespace ddp::cli
