#include "jobenv/record/fields/json_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ddp {
namespace {

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

TEST(JsonText, IsReadAsItStands) {
  EXPECT_EQ(parse_json(R"({"a": [1, "b"]})"), (nlohmann::json{{"a", {1, "b"}}}));
  EXPECT_TRUE(parse_json("").is_discarded());
  EXPECT_TRUE(parse_json("{").is_discarded());
}

TEST(JsonText, TellsTheKeysInTheirOrder) {
  std::vector<std::string> keys;
  EXPECT_TRUE(parse_json(R"({"b": {"x": 1}, "a": [{"y": 2}]})", keys).is_object());
  EXPECT_EQ(keys, (std::vector<std::string>{"b", "a"}));
}

TEST(JsonText, IsNoJsonWhereItIsNestedTooDeep) {
  EXPECT_TRUE(parse_json(nested(100)).is_array());
  EXPECT_TRUE(parse_json(nested(101)).is_discarded());
  EXPECT_TRUE(parse_json(nested(1'000'000)).is_discarded());
  EXPECT_TRUE(parse_json(std::string(1'000'000, '[')).is_discarded());
}

TEST(JsonText, MayHaveBracketsInItsTexts) {
  const std::string brackets(1000, '[');
  EXPECT_EQ(parse_json('"' + brackets + '"'), brackets);
  EXPECT_EQ(parse_json(R"(["\"", ")" + brackets + R"(\\", "\\\"", "[[["])").size(), 4U);
  EXPECT_TRUE(parse_json(R"(["\\", ")" + brackets + "\"," + nested(100) + "]").is_discarded());
}

}  // namespace
}  // namespace ddp
