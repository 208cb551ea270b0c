#include "cli/top/view/figures.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ddp::cli {
namespace {

TEST(Bar, IsAsLongAsItsShare) {
  EXPECT_EQ(make_bar(0.5, 4, Charset::utf8).done, "██");
  EXPECT_EQ(make_bar(0.5, 4, Charset::utf8).rest, "░░");
  EXPECT_EQ(make_bar(0.99, 4, Charset::ascii).done, "###") << "full at the last step only";
  EXPECT_EQ(make_bar(7, 4, Charset::ascii).done, "####");
  EXPECT_EQ(make_bar(std::numeric_limits<double>::quiet_NaN(), 2, Charset::ascii).rest, "..");
}

TEST(Sparkline, GoesFromTheLowestToTheHighest) {
  EXPECT_EQ(make_sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8, Charset::utf8), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(make_sparkline({0, 0, 7, 7}, 2, Charset::ascii), "_#") << "means of two each";
  EXPECT_EQ(make_sparkline({3, 3, 3}, 8, Charset::utf8), "▅▅▅") << "all are equal";
}

TEST(Sparkline, PassesOverWhatIsNotFinite) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(make_sparkline({0, kNan, 7}, 8, Charset::ascii), "_#");
  EXPECT_EQ(make_sparkline({kNan, 7}, 8, Charset::ascii), "");
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_EQ(make_sparkline({-kMost, kMost}, 2, Charset::ascii), "==") << "their difference is not finite";
}

}  // namespace
}  // namespace ddp::cli
