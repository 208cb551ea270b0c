#include "cli/report/plot/axis.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(Axis, TakesValuesAnUlpApartAsOne) {
  const auto range = padded_range(0.9999999999999999, 1.0);
  EXPECT_LT(range.lowest, 0.95);
  EXPECT_GT(range.highest, 1.05);
  EXPECT_LT(ticks_of(range, 4).size(), 20u);
}

TEST(Axis, HasFewTicksEvenInATinyRange) {
  EXPECT_LE(ticks_of({0.9999999999999999, 1.0}, 4).size(), 21u);
  EXPECT_EQ(ticks_of({0, 10}, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
}

std::vector<double> steps_of(const AxisRange& range) {
  std::vector<double> steps;
  for (const auto& tick : step_ticks_of(range, 5)) steps.push_back(tick.step);
  return steps;
}

TEST(Axis, NamesTheLastStepWhereThereIsRoomForIt) {
  EXPECT_EQ(steps_of({1, 1250}), (std::vector<double>{500, 1000, 1250}));
  EXPECT_EQ(steps_of({1, 1100}), (std::vector<double>{500, 1000})) << "the texts would touch";
  EXPECT_EQ(steps_of({1, 1000}), (std::vector<double>{200, 400, 600, 800, 1000}));
}

TEST(Axis, StepsAreWholeNumbers) {
  EXPECT_EQ(steps_of({1, 2}), (std::vector<double>{1, 2}));
  EXPECT_EQ(steps_of({1, 3}), (std::vector<double>{1, 2, 3}));
}

TEST(Axis, AShareThatStaysTheSameIsSeenWithinAllItCanBe) {
  for (const double share : {0.0, 0.5, 1.0}) {
    const auto range = padded_share_range(share, share);
    EXPECT_EQ(range.lowest, 0);
    EXPECT_GT(range.highest, 1) << "the line is below the top";
    EXPECT_EQ(ticks_of(range, 4), (std::vector<double>{0, 0.5, 1}));
  }
  EXPECT_GT(padded_share_range(0.9, 0.95).lowest, 0.8) << "another one has a close range";
}

}  // namespace
}  // namespace ddp::cli
