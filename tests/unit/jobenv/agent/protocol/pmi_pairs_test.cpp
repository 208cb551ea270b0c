#include "jobenv/agent/protocol/pmi_pairs.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

TEST(PmiPairsInPieces, FillEachPiece) {
  const PmiPairs pairs = {{"a", "123"}, {"b", "123"}, {"c", "123"}};
  EXPECT_EQ(size_of(pairs), 12U);
  EXPECT_EQ(split_pairs(pairs), std::vector{pairs});
  EXPECT_EQ(split_pairs(pairs, 8), (std::vector<PmiPairs>{{{"a", "123"}, {"b", "123"}}, {{"c", "123"}}}));
  EXPECT_EQ(split_pairs(pairs, 7).size(), 3U);
}

TEST(PmiPairsInPieces, OneThatIsTooLongIsAloneInItsPiece) {
  EXPECT_EQ(split_pairs({{"a", "1"}, {"b", "12345"}, {"c", "1"}}, 3).size(), 3U);
}

TEST(PmiPairsInPieces, NoPairsAreNoPiece) {
  EXPECT_TRUE(split_pairs({}).empty());
}

}  // namespace
}  // namespace ddp::agent
