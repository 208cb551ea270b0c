#include "cli/commands/watch/rank_set.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(RankSet, IsSortedAndWithoutRepeats) {
  EXPECT_EQ(parse_rank_set("7,0-3,2", 8).value(), (std::vector{0, 1, 2, 3, 7}));
  EXPECT_EQ(parse_rank_set("0", 1).value(), std::vector{0});
}

TEST(RankSet, RefusesEverythingElse) {
  for (const char* text :
       {"", ",", "1,", "a", "3-1", "-1", "1-", "0x1", " 1", "1 ", "1-2-3", "99999999999"}) {
    const auto ranks = parse_rank_set(text, 8);
    ASSERT_FALSE(ranks) << text;
    EXPECT_EQ(ranks.error().code, ExitCode::usage);
  }
}

TEST(RankSet, RefusesARankThatThereIsNot) {
  EXPECT_EQ(parse_rank_set("2-8", 8).error().message, "the run has no rank 8");
  EXPECT_EQ(parse_rank_set("0-2000000000", 8).error().hint, "its ranks are 0 to 7");
}

}  // namespace
}  // namespace ddp::cli
