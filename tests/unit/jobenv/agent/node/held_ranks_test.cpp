#include "jobenv/agent/node/held_ranks.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace ddp::agent {
namespace {

constexpr auto kRelaxedOrder = std::memory_order_relaxed;

TEST(HeldRanks, AllWaitBehindTheirNextStepAndTheNewestIsTold) {
  ProgressPage one;
  ProgressPage other;
  one.uses = other.uses = ProgressPage::kTellsSteps | ProgressPage::kHeedsStops;
  one.step = 7;
  EXPECT_EQ(hold_ranks({&one, &other}), (RanksHeld{true, 7}));
  EXPECT_EQ(one.stop_step, ProgressPage::kHold);
  EXPECT_EQ(other.stop_step, ProgressPage::kHold);
  stop_ranks_after({&one, &other}, {8, 15});
  EXPECT_EQ(one.stop_step, 8U);
  EXPECT_EQ(other.stop_requested, 15U);
}

TEST(HeldRanks, NobodyWaitsWhereOneDoesNotHeed) {
  ProgressPage one;
  ProgressPage other;
  one.uses = ProgressPage::kHeedsStops;
  EXPECT_EQ(hold_ranks({&one, &other}), RanksHeld{});
  EXPECT_EQ(one.stop_step, ProgressPage::kNoStop);
}

TEST(HeldRanks, TheyAreReleased) {
  ProgressPage page;
  page.uses = ProgressPage::kHeedsStops;
  EXPECT_TRUE(hold_ranks({&page}).all_heed);
  release_ranks({&page});
  EXPECT_EQ(page.stop_step, ProgressPage::kNoStop);
}

/// The threads do what a rank does, without a fence: store the step, then load stop_step.
TEST(HeldRanks, NoRankGoesBeyondTheStepBehindTheNewest) {
  for (int round = 0; round < 200; ++round) {
    std::array<ProgressPage, 2> pages;
    std::array<std::uint64_t, 2> reached{};
    std::vector<std::jthread> ranks;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      pages[i].uses = ProgressPage::kHeedsStops;
      ranks.emplace_back([&page = pages[i], &last = reached[i]] {
        for (std::uint64_t n = 1; page.stop_step.load(kRelaxedOrder) != ProgressPage::kHold; ++n)
          page.step.store(last = n, kRelaxedOrder);
      });
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const auto held = hold_ranks({&pages[0], &pages[1]});
    ranks.clear();
    for (const auto last : reached) EXPECT_LE(last, held.newest_step.value_or(0) + 1);
  }
}

}  // namespace
}  // namespace ddp::agent
