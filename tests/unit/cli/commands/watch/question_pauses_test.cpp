#include "cli/commands/watch/question_pauses.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using namespace std::chrono_literals;

constexpr QuestionPauses::Time kOutset{};

TEST(QuestionPauses, GrowUpToTheLongest) {
  QuestionPauses pauses;
  EXPECT_TRUE(pauses.is_over(kOutset));
  auto now = kOutset;
  for (const auto pause : {2s, 4s, 8s, 16s, 30s, 30s}) {
    pauses.begin(now);
    EXPECT_FALSE(pauses.is_over(now + pause - 1ms));
    EXPECT_TRUE(pauses.is_over(now + pause));
    now += pause;
  }
}

TEST(QuestionPauses, AreCutShortOnceAndThenGrowAgain) {
  QuestionPauses pauses;
  pauses.begin(kOutset);
  pauses.cut_short(kOutset + 1s);
  EXPECT_TRUE(pauses.is_over(kOutset + 1s));
  pauses.begin(kOutset + 1s);
  EXPECT_FALSE(pauses.is_over(kOutset + 2s));
  EXPECT_TRUE(pauses.is_over(kOutset + 3s));
}

TEST(QuestionPauses, StayAsTheyAreWhereTheNextOneIsTheShortest) {
  QuestionPauses pauses;
  pauses.begin(kOutset);
  pauses.shorten();
  pauses.cut_short(kOutset);
  EXPECT_FALSE(pauses.is_over(kOutset + 1s));
}

}  // namespace
}  // namespace ddp::cli
