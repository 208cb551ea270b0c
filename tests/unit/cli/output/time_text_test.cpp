#include "cli/output/time_text.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using namespace std::chrono_literals;

TEST(TimeText, RendersElapsedInTwoUnits) {
  EXPECT_EQ(render_elapsed(0ms), "0.0 s");
  EXPECT_EQ(render_elapsed(12'340ms), "12.3 s");
  EXPECT_EQ(render_elapsed(200s), "3 min 20 s");
  EXPECT_EQ(render_elapsed(2h + 5min + 59s), "2 h 5 min");
  EXPECT_EQ(render_elapsed(99h), "4 d 3 h");
}

TEST(TimeText, LeavesOutARestOfZero) {
  EXPECT_EQ(render_elapsed(10min), "10 min");
  EXPECT_EQ(render_elapsed(4h + 59s), "4 h");
  EXPECT_EQ(render_elapsed(48h), "2 d");
}

TEST(TimeText, RendersWhatIsEstimatedWithoutSecondsOfAMinute) {
  EXPECT_EQ(render_short_time(40'900ms), "40 s");
  EXPECT_EQ(render_short_time(400s), "6 min");
  EXPECT_EQ(render_short_time(75min), "1 h 15 min");
  EXPECT_EQ(render_short_time(4h), "4 h");
  EXPECT_EQ(render_short_time(99h), "4 d 3 h");
  EXPECT_EQ(render_short_time(250h), "10 d");
}

TEST(TimeText, RendersAgeInOneUnit) {
  EXPECT_EQ(render_age(-5s), "0 s") << "a clock that was set back";
  EXPECT_EQ(render_age(59'999ms), "59 s");
  EXPECT_EQ(render_age(61min), "1 h");
  EXPECT_EQ(render_age(50h), "2 d");
}

}  // namespace
}  // namespace ddp::cli
