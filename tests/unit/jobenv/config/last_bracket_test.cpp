#include "jobenv/config/last_bracket.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

TEST(LastBracket, IsTheInnermostThatIsOpen) {
  EXPECT_EQ(find_last_open_bracket("a: [1, c: 3"), 3U);
  EXPECT_EQ(find_last_open_bracket("a: {b: [1, 2"), 7U);
  EXPECT_EQ(find_last_open_bracket("a: {b: [1, 2], c: 3"), 3U);
  EXPECT_EQ(find_last_open_bracket("a: [1]"), std::nullopt);
  EXPECT_EQ(find_last_open_bracket(""), std::nullopt);
}

TEST(LastBracket, TextIsNoBracket) {
  EXPECT_EQ(find_last_open_bracket("a: ['[', \"\\\"[\", 'it''s ['"), 3U);
  EXPECT_EQ(find_last_open_bracket("a: [b, # [\n c"), 3U);
  EXPECT_EQ(find_last_open_bracket("a: b[0"), std::nullopt);
  EXPECT_EQ(find_last_open_bracket("a: 'open"), std::nullopt);
}

}  // namespace
}  // namespace ddp
