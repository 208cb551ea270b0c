#include "jobenv/record/exit_record.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

using nlohmann::json;

ExitRecord killed_rank() {
  ExitRecord record;
  record.attempt = 1;
  record.rank = 3;
  record.local_rank = 1;
  record.host = "node2";
  record.pid = 4711;
  record.signal = 9;
  record.ended_by = EndedBy::agent;
  record.last_step = 350;
  record.phase = Phase::checkpoint;
  record.started = std::chrono::system_clock::from_time_t(1795238417);
  record.ended = record.started + std::chrono::milliseconds(1234);
  record.stderr_tail = "terminate called\n";
  return record;
}

TEST(ExitRecord, IsReadAsItWasWritten) {
  EXPECT_EQ(parse_exit_record(to_json(killed_rank())), killed_rank());
  ExitRecord done = killed_rank();
  done.signal.reset();
  done.code = 0;
  done.last_step.reset();
  done.phase = Phase::done;
  done.ended_by = EndedBy::itself;
  EXPECT_EQ(parse_exit_record(to_json(done)), done);
  EXPECT_TRUE(done.succeeded());
  EXPECT_FALSE(killed_rank().succeeded());
}

TEST(ExitRecord, EveryFieldIsNeeded) {
  const json whole = to_json(killed_rank());
  for (const auto& item : whole.items()) {
    if (item.key() == "killed" || item.key() == "outlived") continue;  // version 0.1.0 has not written it
    json with_hole = whole;
    with_hole.erase(item.key());
    const auto record = parse_exit_record(with_hole);
    ASSERT_FALSE(record) << item.key();
    EXPECT_EQ(record.error().message, "exit record: field '" + item.key() + "' is missing");
  }
}

TEST(ExitRecord, EveryFieldHasItsType) {
  const json whole = to_json(killed_rank());
  for (const auto& item : whole.items()) {
    for (const json& wrong :
         {json(1.5), json::array(), json::object(), json(true), json(-7), json(std::string(1, 0))}) {
      json changed = whole;
      const bool is_right = item.value().type() == wrong.type() && !wrong.is_number();
      changed[item.key()] = is_right ? json(5) : wrong;
      const auto record = parse_exit_record(changed);
      ASSERT_FALSE(record) << item.key() << " = " << changed[item.key()];
      EXPECT_NE(record.error().message.find("field '" + item.key() + "'"), std::string::npos)
          << record.error().message;
    }
  }
}

TEST(ExitRecord, RefusesWhatCannotBe) {
  const auto refused = [](const std::string& field, const json& value) {
    json changed = to_json(killed_rank());
    changed[field] = value;
    const auto record = parse_exit_record(changed);
    return record ? "" : record.error().message;
  };
  EXPECT_EQ(refused("code", 1),
            "exit record: field 'code' and field 'signal': exactly one of them must have a value");
  EXPECT_EQ(refused("signal", nullptr),
            "exit record: field 'code' and field 'signal': exactly one of them must have a value");
  for (const std::string phase : {"", "a\nb", "a name of more than thirty-one bytes"})
    EXPECT_EQ(refused("phase", phase), "exit record: field 'phase' is not the name of a phase");
  EXPECT_EQ(refused("signal", 0), "exit record: field 'signal' is 0, not from 1 to 127");
  EXPECT_EQ(refused("rank", 18446744073709551615U), "exit record: field 'rank' is not a whole number");
  EXPECT_EQ(refused("schema", "v9"),
            "exit record: field 'schema' is 'v9', this program knows 'ddpsubmit.exit_record.v1'");
  EXPECT_EQ(refused("surprise", 1), "exit record: field 'surprise' is not known to this program");
  EXPECT_EQ(parse_exit_record(json::array()).error().message, "exit record: it is not a JSON object");
  EXPECT_FALSE(parse_exit_record(json::parse("{\"schema\"", nullptr, false)));
}

TEST(ExitRecord, DescribesTheEnd) {
  EXPECT_EQ(describe_end(killed_rank()), "signal 9 (KILL)");
  ExitRecord record = killed_rank();
  record.signal = 32;
  EXPECT_EQ(describe_end(record), "signal 32");
  record.signal.reset();
  record.code = 3;
  EXPECT_EQ(describe_end(record), "exit code 3");
}

}  // namespace
}  // namespace ddp
