#include "cli/output/metric_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ddp::cli {
namespace {

TEST(MetricText, HasFourDigits) {
  EXPECT_EQ(render_metric(2.302585), "2.3026");
  EXPECT_EQ(render_metric(1), "1.0000");
  EXPECT_EQ(render_metric(0.0421), "0.0421");
  EXPECT_EQ(render_metric(0.00281349), "0.002813");
  EXPECT_EQ(render_metric(4.24812e-18), "4.248e-18");
  EXPECT_EQ(render_metric(-1234567), "-1.235e+06");
  EXPECT_EQ(render_metric(0), "0");
  EXPECT_EQ(render_metric(std::numeric_limits<double>::infinity()), "inf");
}

}  // namespace
}  // namespace ddp::cli
