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

}  // namespace
}  // namespace ddp::cli
