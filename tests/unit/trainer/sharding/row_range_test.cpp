#include "trainer/sharding/row_range.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

TEST(RowRange, EachRankHasAsManyRowsAsTheFirstOneUntilNoneIsLeft) {
  EXPECT_EQ(rows_of_rank(10, 4, 0), (RowRange{0, 3}));
  EXPECT_EQ(rows_of_rank(10, 4, 2), (RowRange{6, 3}));
  EXPECT_EQ(rows_of_rank(10, 4, 3), (RowRange{9, 1}));
}

TEST(RowRange, TheLastRanksMayHaveNone) {
  EXPECT_EQ(rows_per_rank(5, 4), 2);
  EXPECT_EQ(rows_of_rank(5, 4, 2), (RowRange{4, 1}));
  EXPECT_EQ(rows_of_rank(5, 4, 3), (RowRange{5, 0}));
  EXPECT_EQ(rows_of_rank(1, 3, 2), (RowRange{1, 0}));
  EXPECT_EQ(rows_of_rank(0, 3, 1), (RowRange{0, 0}));
}

TEST(RowRange, OneRankHasAll) {
  EXPECT_EQ(rows_of_rank(7, 1, 0), (RowRange{0, 7}));
}

}  // namespace
}  // namespace ddp::trainer
