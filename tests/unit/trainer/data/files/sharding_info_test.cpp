#include "trainer/data/files/sharding_info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ddp::trainer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string header_with(const nlohmann::json& info) {
  return nlohmann::json{{"__metadata__", {{"DCP_SHARDING_INFO", info}}}}.dump();
}

TEST(ShardingInfoTest, WhereEachTensorBegins) {
  const auto info =
      parse_sharding_info(header_with(R"({"w":{"saved_offsets":[3,0]},"step":{"saved_offsets":[]}})"));
  ASSERT_TRUE(info) << info.error();
  ASSERT_TRUE(*info);
  EXPECT_THAT((*info)->at("w"), ElementsAre(3, 0));
  EXPECT_THAT((*info)->at("step"), IsEmpty());
}

TEST(ShardingInfoTest, WholeTensorsHaveNone) {
  for (const char* header : {"{}", R"({"__metadata__":{"format":"pt"}})"}) {
    const auto info = parse_sharding_info(header);
    ASSERT_TRUE(info);
    EXPECT_FALSE(*info);
  }
}

TEST(ShardingInfoTest, WhatIsWrong) {
  EXPECT_THAT(parse_sharding_info("[").error(), HasSubstr("not a JSON object"));
  EXPECT_THAT(parse_sharding_info(header_with(3)).error(), HasSubstr("is not a text"));
  EXPECT_THAT(parse_sharding_info(header_with("[]")).error(), HasSubstr("is not a JSON object"));
  for (const char* shard : {"[]", "{}", R"({"saved_offsets":[-1]})", R"({"saved_offsets":["1"]})",
                            R"({"saved_offsets":[18446744073709551615]})"}) {
    const auto info = parse_sharding_info(header_with(std::string(R"({"w":)") + shard + "}"));
    ASSERT_FALSE(info) << shard;
    EXPECT_THAT(info.error(), HasSubstr("for tensor 'w'"));
  }
}

TEST(ShardingInfoTest, AFileThatIsNotThere) {
  EXPECT_THAT(read_sharding_info("/no/such/file").error(), HasSubstr("cannot read '/no/such/file'"));
}

}  // namespace
}  // namespace ddp::trainer
