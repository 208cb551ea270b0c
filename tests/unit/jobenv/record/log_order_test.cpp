#include "jobenv/record/log_order.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

TEST(LogOrder, ALineComesBackAsItWas) {
  const std::chrono::system_clock::time_point time(std::chrono::milliseconds(1'700'000'000'123));
  const auto line = render_log_point(time, {5'000'000'000, 17});
  EXPECT_EQ(line, "1700000000123 5000000000 17\n");
  EXPECT_EQ(parse_log_point(line.substr(0, line.size() - 1)), (LogSizes{5'000'000'000, 17}));
}

TEST(LogOrder, WhatIsNoSuchLineIsNone) {
  for (const auto* line : {"", "1", "1 2", "1 2 ", "1 2 3 4", "1 2 3 ", " 1 2 3", "1  2 3", "1 -2 3", "a b c",
                           "1 2 x", "1 2 99999999999999999999999", "1 2 31700000000123 4 5"}) {
    EXPECT_FALSE(parse_log_point(line)) << line;
  }
}

}  // namespace
}  // namespace ddp
