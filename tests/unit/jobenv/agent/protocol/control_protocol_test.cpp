#include "jobenv/agent/protocol/control_protocol.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace ddp::agent {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::system_clock;

const std::vector<HeadMessage> kHeadMessages = {
    Welcome{},
    SetUpNode{},
    BindStore{"10.0.0.1"},
    StartAttempt{2, "n", "10.0.0.1", 4000, {"n1", "n2", "x"}, {0, 2, 3}, "10.0.0.2", std::nullopt},
    StartAttempt{0, "", "::1", 1, {"a"}, {1}, "", system_clock::time_point(std::chrono::seconds(1700000000))},
    StopRanks{15},
    HoldRanks{},
    ReleaseRanks{},
    StopAfter{123, 15},
    TakeStacks{"7", {3, 4}},
    TakeStacks{},
    KillRanks{},
    PmiPairsGathered{{{"key", "value = \"x\""}}},
    PmiPairsGathered{},
    PmiBarrierEnded{},
    PieceTaken{},
    Ping{},
    End{}};

ExitRecord some_record() {
  ExitRecord record;
  record.rank = 3;
  record.host = "n1";
  record.pid = 4;
  record.signal = 11;
  record.last_step = 77;
  record.stderr_tail = "line\n\"quoted\" é";
  return record;
}

const std::vector<AgentMessage> kAgentMessages = {
    Hello{"n1", "10.0.0.9", {{2, 0, 1}, {3, 1, 1}}, "no interface", Recurrence::possible},
    NodeSetUp{},
    StoreBound{65535},
    RankStarted{0, 1},
    RankExited{some_record(), "why", Recurrence::certain, 41},
    RankStalled{3, Phase::checkpoint, 120, milliseconds(61500), milliseconds(200), ProcessState::stopped,
                true, system_clock::time_point(milliseconds(1700000000123))},
    RankStalled{0, Phase::start, std::nullopt, milliseconds(0), milliseconds(0), ProcessState::unknown,
                false},
    RankAdvances{3},
    RanksHeld{true, 122},
    RanksHeld{true, std::uint64_t{1} << 63},
    RanksHeld{},
    RanksSeen{{{.rank = 3,
                .phase = Phase::evaluate,
                .step = 7,
                .first_step = 2,
                .total_steps = 100,
                .metrics = {{"loss", 0.5}},
                .process = ProcessState::running,
                .cpu = milliseconds(12),
                .memory_bytes = 4096,
                .gpu_percent = 99,
                .gpu_memory_bytes = 1},
               {}}},
    RankIdle{3, milliseconds(61500), ProcessState::sleeping,
             system_clock::time_point(milliseconds(1700000000123))},
    StacksTaken{"7", {{3, "n1", "sleeping", "py-spy", {"main (train.py:7)"}}, {}}},
    StacksTaken{},
    PmiPairsPut{{{"key", "value"}, {"other", ""}}},
    PmiBarrierReached{},
    LoneMpiRank{1, MpiFlavour::open_mpi, "/lib/libmpi.so.40"},
    Drained{},
    AgentFailed{"what", "printed\nlast", Recurrence::certain},
    Signalled{15},
    RecordPiece{{"logs/attempt-0/rank-1.out", 9, "a\n"}},
    Pong{}};

TEST(ControlProtocol, HeadsMessagesComeBack) {
  for (const HeadMessage& message : kHeadMessages) {
    const std::string line = render_message(message);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto parsed = parse_head_message(line);
    ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
    EXPECT_TRUE(*parsed == message) << line;
  }
}

TEST(ControlProtocol, AgentsMessagesComeBack) {
  for (const AgentMessage& message : kAgentMessages) {
    const std::string line = render_message(message);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto parsed = parse_agent_message(line);
    ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
    EXPECT_TRUE(*parsed == message) << line;
  }
}

TEST(ControlProtocol, EachSideKnowsOnlyTheOthersWords) {
  for (const HeadMessage& message : kHeadMessages) EXPECT_FALSE(parse_agent_message(render_message(message)));
  for (const AgentMessage& message : kAgentMessages)
    EXPECT_FALSE(parse_head_message(render_message(message)));
}

TEST(ControlProtocol, AMissingOrSurplusFieldIsNamed) {
  for (const AgentMessage& message : kAgentMessages) {
    const json whole = json::parse(render_message(message));
    for (const auto& [name, value] : whole.items()) {
      if (name == "schema") continue;
      json part = whole;
      part.erase(name);
      const auto parsed = parse_agent_message(part.dump());
      ASSERT_FALSE(parsed) << part;
      EXPECT_NE(parsed.error().message.find("'" + name + "'"), std::string::npos) << parsed.error().message;
    }
    json more = whole;
    more["surplus"] = 1;
    EXPECT_FALSE(parse_agent_message(more.dump()));
  }
}

TEST(ControlProtocol, NumbersHaveLimits) {
  EXPECT_FALSE(parse_agent_message(R"({"schema":"store_bound","port":0})"));
  EXPECT_FALSE(parse_agent_message(R"({"schema":"store_bound","port":65536})"));
  EXPECT_FALSE(parse_agent_message(R"({"schema":"store_bound","port":1.5})"));
  EXPECT_FALSE(parse_agent_message(R"({"schema":"signalled","signal":65})"));
  EXPECT_FALSE(parse_agent_message(R"({"schema":"started","rank":-1,"pid":5})"));
  EXPECT_FALSE(parse_agent_message(R"({"schema":"hello","host":"a","interface":"","ranks":[[0,0]]})"));
  EXPECT_FALSE(parse_agent_message(R"({"schema":"hello","host":"a","interface":"","ranks":[[0,0,-1]]})"));
  EXPECT_FALSE(
      parse_agent_message(R"({"schema":"hello","host":"a","interface":"","ranks":[[0,0,99999999999]]})"));
  EXPECT_FALSE(parse_agent_message(R"({"schema":"hello","host":"a","interface":"","ranks":{"a":1}})"));
}

TEST(ControlProtocol, OfAStalledRankEveryWordIsKept) {
  const RankStalled stalled{7,
                            Phase::evaluate,
                            5,
                            milliseconds(61500),
                            milliseconds(200),
                            ProcessState::in_kernel,
                            true,
                            system_clock::time_point(milliseconds(1700000000123))};
  EXPECT_EQ(std::get<RankStalled>(parse_agent_message(render_message(stalled)).value()), stalled);
}

TEST(ControlProtocol, WhatNoRankCanBeStalledInIsRefused) {
  const json stalled = json::parse(render_message(RankStalled{}));
  for (const auto& [name, value] : {std::pair("phase", json("")), std::pair("process", json("dead")),
                                    std::pair("silent_milliseconds", json(-1)),
                                    std::pair("waits_for_peers", json(1)), std::pair("rank", json(-1))}) {
    json wrong = stalled;
    wrong[name] = value;
    EXPECT_FALSE(parse_agent_message(wrong.dump())) << wrong;
  }
}

TEST(ControlProtocol, GarbageIsRefused) {
  for (const char* line :
       {"", "x", "[]", "{}", "null", "{\"schema\":1}", "{\"schema\":\"nothing\"}", "{\"schema\":\"pong\"",
        "GET / HTTP/1.1", "{\"schema\":\"pong\"}{\"schema\":\"pong\"}"}) {
    EXPECT_FALSE(parse_agent_message(line)) << line;
    EXPECT_FALSE(parse_head_message(line)) << line;
  }
  EXPECT_FALSE(parse_agent_message(std::string(100000, '[')));
}

const std::vector<json> kOtherValues = {
    nullptr,        true,          5, -1, 1.5, 18446744073709551615U, 1e300, "x", json::array(), {1},
    json::object(), json{{"a", 1}}};

/// Calls `check` with `whole`, one value of which, however deep, is another one.
template <class Check>
void replace_each(json& whole, json& part, const Check& check) {
  const json before = part;
  for (const json& other : kOtherValues) {
    part = other;
    check(whole);
  }
  part = before;
  if (part.is_structured()) {
    for (auto& item : part.items()) replace_each(whole, item.value(), check);
  }
}

TEST(ControlProtocol, AFieldOfAnyOtherKindIsNeverThrown) {
  for (const AgentMessage& message : kAgentMessages) {
    json whole = json::parse(render_message(message));
    replace_each(whole, whole, [](const json& wrong) {
      EXPECT_NO_THROW((void)parse_agent_message(wrong.dump())) << wrong;
    });
  }
  for (const HeadMessage& message : kHeadMessages) {
    json whole = json::parse(render_message(message));
    replace_each(whole, whole,
                 [](const json& wrong) { EXPECT_NO_THROW((void)parse_head_message(wrong.dump())) << wrong; });
  }
}

std::string refusal_of_hello(const std::string& ranks) {
  const auto parsed =
      parse_agent_message(R"({"schema":"hello","host":"a","interface":"","ranks":)" + ranks + "}");
  return parsed ? "" : parsed.error().message;
}

TEST(ControlProtocol, ThePlaceOfWhatIsWrongIsNamed) {
  for (const char* ranks : {"5", "\"x\"", "true", "null", "{\"a\":1}"})
    EXPECT_EQ(refusal_of_hello(ranks), "control message 'hello': field 'ranks' is not a list");
  EXPECT_EQ(refusal_of_hello("[[0,0,0],[1,\"1\",0]]"),
            "control message 'hello': field 'ranks[1]' is not a row of rank, local rank and node rank");
  json exited = json::parse(render_message(AgentMessage{RankExited{some_record(), "why"}}));
  exited["record"]["pid"] = "4";
  EXPECT_EQ(parse_agent_message(exited.dump()).error().message,
            "control message 'exited': field 'record' is not valid: exit record: field 'pid' is not a whole "
            "number");
}

TEST(ControlProtocol, WhatIsNestedDeepDoesNotTakeTheStack) {
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  EXPECT_FALSE(refusal_of_hello(deep).empty());
  EXPECT_FALSE(parse_agent_message("{\"schema\":\"piece\",\"piece\":" + deep + "}"));
  EXPECT_FALSE(parse_agent_message(
      "{\"schema\":\"exited\",\"what\":\"\",\"recurrence\":\"possible\",\"record\":" + deep + "}"));
}

TEST(ControlProtocol, DamagedLinesNeverCrashTheParser) {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  for (int round = 0; round < 20000; ++round) {
    std::string line = render_message(kAgentMessages[below(kAgentMessages.size())]);
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      line[below(line.size())] = static_cast<char>(below(256));
    }
    const auto parsed = parse_agent_message(line);
    if (!parsed) continue;
    EXPECT_TRUE(parse_agent_message(render_message(*parsed))) << "what parses can be said again: " << line;
  }
}

}  // namespace
}  // namespace ddp::agent
