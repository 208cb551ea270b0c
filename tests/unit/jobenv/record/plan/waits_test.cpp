#include "jobenv/record/plan/waits.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

std::string refused(const char* text) {
  const auto parsed = parse_waits(json::parse(text));
  return parsed ? "" : parsed.error().message;
}

TEST(Waits, OnlyWhatDiffersIsWritten) {
  EXPECT_EQ(to_json(Waits{}), json::object());
  Waits waits;
  waits.lease = milliseconds(2'500);
  EXPECT_EQ(to_json(waits), json::parse(R"({"lease": 2500})"));
}

TEST(Waits, AreReadAsTheyWereWritten) {
  Waits waits{milliseconds(1), milliseconds(2), milliseconds(3), milliseconds(4),
              milliseconds(5), milliseconds(6), milliseconds(7)};
  EXPECT_EQ(parse_waits(to_json(waits)), waits);
  EXPECT_EQ(parse_waits(json::object()), Waits{});
}

TEST(Waits, WhatIsWrongIsNamed) {
  EXPECT_EQ(refused("[]"), "it is not a JSON object");
  EXPECT_EQ(refused(R"({"leash": 1})"), "unknown wait 'leash'");
  for (const char* wrong : {R"({"lease": 0})", R"({"lease": -1})", R"({"lease": 1.5})", R"({"lease": "1"})",
                            R"({"lease": 18446744073709551615})"})
    EXPECT_EQ(refused(wrong), "'lease' is not a number of milliseconds above 0") << wrong;
}

}  // namespace
}  // namespace ddp
