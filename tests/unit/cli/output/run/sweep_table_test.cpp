#include "cli/output/run/sweep_table.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

KnownRun make_sweep(std::size_t points) {
  KnownRun sweep;
  sweep.sweep.emplace().keys = {"train.seed"};
  for (std::size_t number = 0; number < points; ++number) {
    sweep.sweep->points.push_back({number});
    sweep.points.emplace_back();
  }
  return sweep;
}

TEST(SweepTable, HasNoReasonsWhereThereAreNone) {
  auto sweep = make_sweep(1);
  sweep.points[0].status.state = RunState::succeeded;
  sweep.points[0].status.message = "2 ranks finished";
  EXPECT_EQ(render_sweep_table(sweep, {}),
            "POINT  seed  STATE      RAN\n"
            "0      0     succeeded  -\n");
}

TEST(SweepTable, HasMetricsWhereAnyPointHasSome) {
  auto sweep = make_sweep(2);
  for (auto& point : sweep.points) point.status.state = RunState::running;
  sweep.points[1].progress =
      TrainingProgress{.kind = "train", .step = 50, .epoch = 1, .loss = 0.5, .accuracy = {}};
  EXPECT_EQ(render_sweep_table(sweep, {}),
            "POINT  seed  STATE    STEP  LOSS    RAN\n"
            "0      0     running  -     -       -\n"
            "1      1     running  50    0.5000  -\n");
  sweep.points[1].progress->accuracy = 0.25;
  sweep.points[1].progress->kind = "evaluate";
  EXPECT_EQ(render_sweep_table(sweep, {}),
            "POINT  seed  STATE    STEP  SPLIT  LOSS    ACCURACY  RAN\n"
            "0      0     running  -     -      -       -         -\n"
            "1      1     running  50    test   0.5000  0.2500    -\n");
}

TEST(SweepTable, ShowsTheDigitsOfASmallLoss) {
  auto sweep = make_sweep(1);
  sweep.points[0].status.state = RunState::running;
  sweep.points[0].progress =
      TrainingProgress{.kind = "train", .step = 50, .epoch = 1, .loss = 2.9e-11, .accuracy = {}};
  EXPECT_EQ(render_sweep_table(sweep, {}),
            "POINT  seed  STATE    STEP  LOSS     RAN\n"
            "0      0     running  50    2.9e-11  -\n");
}

TEST(SweepTable, DoesNotSayTheStateTwice) {
  auto sweep = make_sweep(1);
  sweep.points[0].status.state = RunState::cancelled;
  sweep.points[0].status.message = "cancelled before it started";
  EXPECT_TRUE(render_sweep_table(sweep, {}).ends_with("\npoint 0 cancelled before it started\n"));
}

TEST(SweepTable, GivesTheReasonsBelowOneLineForAllPointsThatShareIt) {
  auto sweep = make_sweep(5);
  for (const auto number : {1u, 2u, 4u}) {
    sweep.points[number].status.state = RunState::queued;
    sweep.points[number].status.message = "jobs of higher priority are in front of it";
  }
  sweep.points[0].status.state = RunState::running;
  auto& failed = sweep.points[3].status;
  failed.state = RunState::failed;
  failed.message = "rank 0 on n1 left with exit code 1";
  failed.cause.emplace().stderr_tail = "Traceback\nValueError: seed\n";
  const auto text = render_sweep_table(sweep, {});
  EXPECT_EQ(text.substr(text.find("\n\n")),
            "\n\npoints 1-2,4 queued: jobs of higher priority are in front of it\n"
            "point 3 failed: rank 0 on n1 left with exit code 1\n"
            "  likely cause: ValueError: seed\n");
}

TEST(SweepTable, HasTheWarningsOfItsPointsOnce) {
  auto sweep = make_sweep(3);
  for (const auto number : {0u, 1u, 2u}) {
    sweep.points[number].status.state = RunState::succeeded;
    if (number == 1) continue;
    for (int attempt = 0; attempt < 2; ++attempt)
      sweep.points[number].status.attempts.emplace_back().warnings = {"nothing connects the ranks"};
  }
  EXPECT_TRUE(
      render_sweep_table(sweep, {}).ends_with("\n\npoints 0,2, warning: nothing connects the ranks\n"));
}

}  // namespace
}  // namespace ddp::cli
