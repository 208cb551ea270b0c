#include "cli/output/run/report_text.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RunReport report_with(std::size_t attempts, int failures) {
  RunReport report;
  report.attempts.resize(attempts);
  report.failures = failures;
  return report;
}

TEST(RecoveryText, CountsAttemptsFailuresAndSteps) {
  auto report = report_with(3, 2);
  report.lost_steps = 37;
  report.detected_after = milliseconds(47);
  report.stepped_again_after = milliseconds(940);
  report.attempts[0].detected_after = milliseconds(47);
  const std::string text =
      "3 attempts, 2 failures; 37 steps lost; detected in 47 ms, first step again after 0.9 s";
  EXPECT_EQ(render_recovery(report), text) << "the only one is no median";
  report.attempts[1].detected_after = milliseconds(47);
  EXPECT_EQ(render_recovery(report), text + " (median)");
  report = report_with(2, 1);
  report.lost_steps = 1;
  report.stepped_again_after = seconds(130);
  EXPECT_EQ(render_recovery(report), "2 attempts, 1 failure; 1 step lost; first step again after 2 min 10 s");
}

TEST(RecoveryText, SaysOnlyWhatIsKnown) {
  EXPECT_EQ(render_recovery(report_with(1, 0)), "");
  EXPECT_EQ(render_recovery(report_with(1, 1)), "") << "nothing was recovered";
  EXPECT_EQ(render_recovery(report_with(2, 0)), "2 attempts, no failure");
  EXPECT_EQ(render_recovery(AttemptReport{}), "");
}

TEST(RecoveryText, HasTheRatioAsPercent) {
  RunReport report;
  EXPECT_EQ(render_effective_ratio(report), "");
  report.trained = seconds(47);
  EXPECT_EQ(render_effective_ratio(report), "");
  report.wall_clock = seconds(50);
  EXPECT_EQ(render_effective_ratio(report), "") << "too short to say much";
  report.trained = seconds(94);
  report.wall_clock = seconds(100);
  EXPECT_EQ(render_effective_ratio(report), "94 %");
}

}  // namespace
}  // namespace ddp::cli
