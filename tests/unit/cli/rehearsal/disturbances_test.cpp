#include "cli/rehearsal/disturbances.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ddp::cli {
namespace {

TEST(Disturbances, AreTheSameForTheSameSeed) {
  EXPECT_EQ(choose_disturbances(7, 400, 2), choose_disturbances(7, 400, 2));
  EXPECT_NE(choose_disturbances(7, 400, 2), choose_disturbances(8, 400, 2));
}

TEST(Disturbances, LeaveTrainingBehindThem) {
  std::set<std::int64_t> stops;
  std::set<int> ranks;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto chosen = choose_disturbances(seed, 100, 4);
    EXPECT_GE(chosen.stop_step, 15);
    EXPECT_LE(chosen.stop_step, 35);
    EXPECT_GE(chosen.kill_step, 55);
    EXPECT_LE(chosen.kill_step, 80);
    stops.insert(chosen.stop_step);
    ranks.insert(chosen.kill_rank);
  }
  EXPECT_EQ(stops.size(), 21u);
  EXPECT_EQ(ranks, (std::set<int>{0, 1, 2, 3}));
}

TEST(Disturbances, FitIntoTheFewestSteps) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto chosen = choose_disturbances(seed, kFewestSteps, 1);
    EXPECT_GE(chosen.stop_step, 1);
    EXPECT_GT(chosen.kill_step, chosen.stop_step);
    EXPECT_LT(chosen.kill_step, kFewestSteps);
    EXPECT_EQ(chosen.kill_rank, 0);
  }
}

}  // namespace
}  // namespace ddp::cli
