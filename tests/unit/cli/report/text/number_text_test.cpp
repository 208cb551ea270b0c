#include "cli/report/text/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/report/plot/axis.hpp"

namespace ddp::cli {
namespace {

TEST(NumberText, HasFourDigits) {
  EXPECT_EQ(render_number(0), "0");
  EXPECT_EQ(render_number(0.04213579), "0.04214");
  EXPECT_EQ(render_number(2.5), "2.5");
  EXPECT_EQ(render_number(123.456), "123.5");
  EXPECT_EQ(render_number(999.96), "1,000");
  EXPECT_EQ(render_number(-1234567.8), "-1,234,568");
  EXPECT_EQ(render_number(0.0000123), "1.23e-05");
  EXPECT_EQ(render_number(100), "100");
  EXPECT_EQ(render_number(HUGE_VAL), "-");
}

TEST(NumberText, OfIntegersHasThousands) {
  EXPECT_EQ(render_integer(0), "0");
  EXPECT_EQ(render_integer(999), "999");
  EXPECT_EQ(render_integer(-1000), "-1,000");
  EXPECT_EQ(render_integer(1234567), "1,234,567");
}

TEST(NumberText, OfTimesHasUnits) {
  EXPECT_EQ(render_milliseconds(47.12), "47.12 ms");
  EXPECT_EQ(render_milliseconds(200'000), "3 min 20 s");
  EXPECT_EQ(render_span(std::chrono::milliseconds(40)), "40 ms");
  EXPECT_EQ(render_span(std::nullopt), "");
}

TEST(Axis, HasRoundNumbers) {
  EXPECT_EQ(ticks_of({0, 100}, 5), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(ticks_of({3, 8}, 5), (std::vector<double>{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(render_tick(0.1, {0.09995, 0.1}), "0.10000");
  EXPECT_EQ(render_tick(2000, {0, 2000}), "2,000");
  EXPECT_EQ(padded_range(5, 5).lowest, 4.5);
  EXPECT_EQ(padded_range(0, 0).highest, 1);
  EXPECT_EQ(padded_range(0.01, 10).lowest, 0);
}

}  // namespace
}  // namespace ddp::cli
