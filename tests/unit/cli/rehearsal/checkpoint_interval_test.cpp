#include "cli/rehearsal/checkpoint_interval.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(CheckpointInterval, YoungIsTheRootOfTwiceStallTimesMtbf) {
  const FailureCosts costs{.stall = seconds(300), .restart = seconds(60), .mtbf = hours(24)};
  EXPECT_DOUBLE_EQ(young_interval(costs).count(), 7200);
}

TEST(CheckpointInterval, DalyAddsTermsOfHigherOrder) {
  const FailureCosts costs{.stall = seconds(300), .restart = seconds(60), .mtbf = hours(24)};
  // 7200 (1 + 1/24/3 + 1/576/9) - 300
  EXPECT_NEAR(daly_interval(costs).count(), 7001.388'889, 1e-6);
}

TEST(CheckpointInterval, BothAgreeWhereAStallIsShort) {
  const FailureCosts costs{.stall = std::chrono::milliseconds(2), .restart = {}, .mtbf = hours(24)};
  EXPECT_NEAR(daly_interval(costs) / young_interval(costs), 1, 1e-3);
}

TEST(CheckpointInterval, DalyIsTheMtbfWhereAStallOutlastsIt) {
  EXPECT_EQ(daly_interval({.stall = seconds(20), .restart = {}, .mtbf = seconds(10)}), seconds(10));
  EXPECT_EQ(daly_interval({.stall = seconds(50), .restart = {}, .mtbf = seconds(10)}), seconds(10));
}

TEST(CheckpointInterval, StallsHalfIntervalsAndRestartsAreLost) {
  const FailureCosts costs{.stall = seconds(300), .restart = seconds(60), .mtbf = hours(24)};
  EXPECT_DOUBLE_EQ(lost_fraction(seconds(7200), costs), 300.0 / 7200 + 3660.0 / 86400);
}

TEST(CheckpointInterval, NoOtherIntervalLosesLessThanYoungs) {
  const FailureCosts costs{.stall = seconds(3), .restart = seconds(60), .mtbf = hours(12)};
  const auto best = young_interval(costs);
  for (const double factor : {0.5, 0.9, 1.1, 2.0})
    EXPECT_GT(lost_fraction(best * factor, costs), lost_fraction(best, costs)) << factor;
}

}  // namespace
}  // namespace ddp::cli
