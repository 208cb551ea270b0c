#include "jobenv/record/fields/timestamp.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ddp {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

TEST(Timestamp, RendersUtcWithMilliseconds) {
  EXPECT_EQ(render_time(system_clock::from_time_t(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(render_time(system_clock::from_time_t(951782400) + milliseconds(7)), "2000-02-29T00:00:00.007Z");
  EXPECT_EQ(render_time(system_clock::from_time_t(1795238417) + std::chrono::microseconds(123999)),
            "2026-11-21T05:20:17.123Z");
}

TEST(Timestamp, ReadsWhatItRenders) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const system_clock::time_point time(milliseconds(random() % 4'000'000'000'000));
    ASSERT_EQ(parse_time(render_time(time)), time) << render_time(time);
  }
}

TEST(Timestamp, RefusesOtherForms) {
  for (const char* text :
       {"", "2026-11-21", "2026-11-21T05:20:17Z", "2026-11-21T05:20:17.123", "2026-11-21 05:20:17.123Z",
        "2026-13-21T05:20:17.123Z", "2026-02-30T05:20:17.123Z", "2025-02-29T05:20:17.123Z",
        "2026-11-21T24:20:17.123Z", "2026-11-21T05:60:17.123Z", "2026-11-21T05:20:60.123Z",
        "2026-11-21T05:20:17.123Zx", "-026-11-21T05:20:17.123Z", "1969-11-21T05:20:17.123Z",
        "2262-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "2026-00-21T05:20:17.123Z"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace ddp
