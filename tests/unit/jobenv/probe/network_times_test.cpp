#include "jobenv/probe/network_times.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

TEST(NetworkTimes, ComeBackFromJson) {
  const PairTime pair{.node = 1, .peer = 3, .small_seconds = 1.25e-4, .large_seconds = 0.5, .problem = "why"};
  EXPECT_EQ(parse_pair_time(to_json(pair)), pair);
  const GroupTime group{.rank = 2, .world_size = 8, .seconds = 0.25, .problem = {}};
  EXPECT_EQ(parse_group_time(to_json(group)), group);
}

TEST(NetworkTimes, NeverTakenForEachOther) {
  EXPECT_FALSE(parse_group_time(to_json(PairTime{})));
  EXPECT_FALSE(parse_pair_time(to_json(GroupTime{})));
}

TEST(NetworkTimes, RefuseWhatIsMistyped) {
  auto object = to_json(PairTime{});
  object["small_seconds"] = "fast";
  const auto parsed = parse_pair_time(object);
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().message.find("small_seconds"), std::string::npos);
}

}  // namespace
}  // namespace ddp
