#include "trainer/ranks/rank_list.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ddp::trainer {
namespace {

std::string rendered(const std::vector<int>& ranks) {
  return render_rank_list(ranks);
}

TEST(RankList, NamesOneAndSeveral) {
  EXPECT_EQ(rendered({0}), "rank 0");
  EXPECT_EQ(rendered({12}), "rank 12");
  EXPECT_EQ(rendered({0, 2}), "ranks 0 and 2");
  EXPECT_EQ(rendered({1, 2, 5}), "ranks 1, 2 and 5");
  EXPECT_EQ(rendered({0, 3, 4, 10}), "ranks 0, 3, 4 and 10");
}

}  // namespace
}  // namespace ddp::trainer
