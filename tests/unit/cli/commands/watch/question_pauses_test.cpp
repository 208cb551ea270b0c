#include "cli/commands/watch/question_pauses.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using namespace std::chrono_literals;

constexpr QuestionPauses::Time kStart{};

TEST(QuestionPauses, GrowUpToTheLongest) {
  QuestionPauses pauses;
  EXPECT_TRUE(pauses.is_over(kStart));
  auto now = kStart;
  for (const auto pause : {2s, 4s, 8s, 16s, 30s, 30s}) {
    pauses.begin(now);
    EXPECT_FALSE(pauses.is_over(now + pause - 1ms));
    EXPECT_TRUE(pauses.is_over(now + pause));
    now += pause;
  }
}

TEST(QuestionPauses, AreCutShortOnceAndThenGrowAgain) {
  QuestionPauses pauses;
  pauses.begin(kStart);
  pauses.cut_short(kStart + 1s);
  EXPECT_TRUE(pauses.is_over(kStart + 1s));
  pauses.begin(kStart + 1s);
  EXPECT_FALSE(pauses.is_over(kStart + 2s));
  EXPECT_TRUE(pauses.is_over(kStart + 3s));
}

TEST(QuestionPauses, StayAsTheyAreWhereTheNextOneIsTheShortest) {
  QuestionPauses pauses;
  pauses.begin(kStart);
  pauses.shorten();
  pauses.cut_short(kStart);
  EXPECT_FALSE(pauses.is_over(kStart + 1s));
}

}  // namespace
}  // namespace ddp::cli
