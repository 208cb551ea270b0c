#include "trainer/loop/report/progress_bar.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

using Clock = ProgressBar::Clock;
using std::chrono::seconds;

const Clock::time_point kStart{};

TEST(ProgressBar, TellsTheTimeLeftAtTheSpeedOfThisAttempt) {
  const ProgressBar bar(100, 400, kStart);
  EXPECT_EQ(bar.remaining(100, kStart), seconds(0));
  EXPECT_EQ(bar.remaining(200, kStart + seconds(10)), seconds(20));
  EXPECT_EQ(bar.remaining(400, kStart + seconds(30)), seconds(0));
}

TEST(ProgressBar, FitsTheTerminal) {
  const ProgressBar bar(0, 200, kStart);
  EXPECT_EQ(bar.render(50, kStart + seconds(30), 80),
            "[##########..............................] 25%  step 50/200  1:30 left");
  EXPECT_EQ(bar.render(200, kStart + seconds(7200), 45), "[#############] 100%  step 200/200  0:00 left");
  EXPECT_EQ(bar.render(1, kStart + seconds(60), 48).size(), 48u);
  EXPECT_EQ(bar.render(50, kStart + seconds(30), 10), "25%  step ");
}

TEST(ProgressBar, ARunThatIsPastItsEndIsDone) {
  const ProgressBar bar(20, 5, kStart);
  EXPECT_EQ(bar.render(20, kStart + seconds(1), 80),
            "[########################################] 100%  step 20/5  0:00 left");
  EXPECT_EQ(bar.render(21, kStart + seconds(1), 80),
            "[########################################] 100%  step 21/5  0:00 left");
}

TEST(ProgressBar, ShowsHours) {
  const ProgressBar bar(0, 2, kStart);
  EXPECT_NE(bar.render(1, kStart + seconds(3661), 80).find("1:01:01 left"), std::string::npos);
}

}  // namespace
}  // namespace ddp::trainer
