#include "ddp/jobenv/progress_line.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

using std::chrono::seconds;

const ProgressLine kLine{.step = 50,
                         .total_steps = 200,
                         .remaining = seconds(90),
                         .epoch = 2,
                         .loss = 0.43214,
                         .samples_per_second = 12345.6};

std::string render_clock(int remaining) {
  return render_progress_line({.step = 1, .total_steps = 2, .remaining = seconds(remaining)}, 40);
}

TEST(ProgressLine, HoldsAllThatIsKnown) {
  EXPECT_EQ(render_progress_line(kLine, 120),
            "[##########..............................] 25%  step 50/200  1:30 left  epoch 2  loss 0.4321  "
            "12,345 samples/s");
  EXPECT_EQ(render_progress_line({.step = 3, .total_steps = 4}, 120),
            "[##############################..........] 75%  step 3/4");
}

TEST(ProgressLine, NarrowsTheBarAndThenLeavesOutWhatStandsLast) {
  EXPECT_EQ(render_progress_line(kLine, 79),
            "[##.......] 25%  step 50/200  1:30 left  epoch 2  loss 0.4321  12,345 samples/s");
  EXPECT_EQ(render_progress_line(kLine, 75),
            "[#....] 25%  step 50/200  1:30 left  epoch 2  loss 0.4321  12,345 samples/s");
  EXPECT_EQ(render_progress_line(kLine, 74),
            "[#####.................] 25%  step 50/200  1:30 left  epoch 2  loss 0.4321");
  EXPECT_EQ(render_progress_line(kLine, 47), "[##......] 25%  step 50/200  1:30 left  epoch 2");
  EXPECT_EQ(render_progress_line(kLine, 43), "[###..........] 25%  step 50/200  1:30 left");
  EXPECT_EQ(render_progress_line(kLine, 35), "[#....] 25%  step 50/200  1:30 left");
  EXPECT_EQ(render_progress_line(kLine, 34), "25%  step 50/200  1:30 left");
  EXPECT_EQ(render_progress_line(kLine, 10), "25%  step ");
  EXPECT_EQ(render_progress_line(kLine, 0), "");
}

TEST(ProgressLine, IsNeverWiderThanItMayBe) {
  for (std::size_t columns = 0; columns < 150; ++columns)
    EXPECT_LE(render_progress_line(kLine, columns).size(), columns);
}

TEST(ProgressLine, ShowsMinutesOrHours) {
  EXPECT_TRUE(render_clock(0).ends_with("  0:00 left"));
  EXPECT_TRUE(render_clock(3599).ends_with("  59:59 left"));
  EXPECT_TRUE(render_clock(3661).ends_with("  1:01:01 left"));
  EXPECT_TRUE(render_clock(360'000).ends_with("  100:00:00 left"));
}

TEST(ProgressLine, IsFullAtTheLastStepOnly) {
  EXPECT_EQ(render_progress_line({.step = 999, .total_steps = 1000}, 22), "99%  step 999/1000");
  EXPECT_EQ(render_progress_line({.step = 7, .total_steps = 7}, 23), "[######] 100%  step 7/7");
  EXPECT_EQ(render_progress_line({.step = 0, .total_steps = 0}, 13), "0%  step 0/0");
}

TEST(ProgressLine, ShowsTheTimeLimit) {
  using std::chrono::seconds;
  ProgressLine line{.step = 1, .total_steps = 2, .remaining = seconds(90), .to_limit = seconds(7200)};
  EXPECT_TRUE(render_progress_line(line, 80).ends_with("  1:30 left  limit in 2:00:00"));
  line.to_limit = seconds(60);
  EXPECT_TRUE(render_progress_line(line, 80).ends_with("  1:30 left, limit in 1:00"));
}

TEST(ProgressLine, SurvivesALossThatHasNoRoom) {
  EXPECT_EQ(render_progress_line({.step = 1, .total_steps = 2, .loss = -1.7e308}, 80).find("loss"),
            std::string::npos);
}

TEST(Thousands, AreSetApart) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(12'345'678), "12,345,678");
}

}  // namespace
}  // namespace ddp
