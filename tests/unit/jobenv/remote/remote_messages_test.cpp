#include "jobenv/remote/remote_messages.hpp"

#include <gtest/gtest.h>

namespace ddp::remote {
namespace {

const ProcessName kProcess{"0f6e", 4'711, 123'456'789'012};
const RemoteEnvironment kEnvironment{{{"A", "1"}, {"B", "x\ny \"z\""}}, {"SLURM_*", "RANK"}};
const HeadAddress kHead{"10.0.0.1:4000,[fd00::1]:4000", "c0ffee"};

TEST(RemoteMessages, EveryRequestComesBackAsItWas) {
  const std::vector<Request> requests = {
      See{"/shared/mark", "text"},
      StartHead{"/runs/a", 2, kEnvironment},
      StartNode{"/runs/a", 3, 1, kHead, kEnvironment},
      SendSignal{kProcess, 15},
      FindRanks{"/runs/a"},
      FindRuns{},
      FindProgram{"python3", kEnvironment},
      ReadyPrograms{{{"ddptrain", "ab12", 1u << 31}, {"lib/x.so", "cd34", 0}}},
      PlaceFiles{"run-1", {{{"lib/a b\n.py", "ab12", 5}, 0755}}},
      PlaceFiles{"run-1", {}, {{"data", "../d"}}},
      FindMissing{{{"output/a", "ab12", 5}}},
      RestoreFiles{"run-1", {{{"output/a", "ab12", 5}, 0600}}},
      KeepContent{"ab12", 600u << 20, 5},
      WriteRun{"run-1", {{"plan.json", "{}\n"}}, {{"ledger/head-0.jsonl", "x"}}},
      ReadRun{"/runs/a", {{"metrics.jsonl", 1u << 31}}},
      ListFiles{"run-1", {"output", "checkpoints"}},
      SendFile{"run-1", {"output/a b", 1u << 31, 1'700'000'000'000'000'001, 0755}, 7, 1u << 20},
      RemoveRun{"run-1"}};
  for (const Request& request : requests) {
    const std::string line = render_request(request);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto parsed = parse_request(line);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_TRUE(*parsed == request) << line;
  }
}

TEST(RemoteMessages, EveryAnswerComesBackAsItWas) {
  const std::vector<Answer> answers = {Greeting{"1.2.3", "node1", "0f6e", "2.36", "/own", "beef"},
                                       Seen{true, "", "me"},
                                       HeadStarted{kProcess, kHead},
                                       NodeStarted{kProcess},
                                       ProcessSeen{true},
                                       RanksFound{{7, 8}},
                                       RunsFound{{"/runs/a", "/runs/b"}},
                                       ProgramFound{"/usr/bin/python3", "/usr/bin/python3.11"},
                                       AgentWanted{},
                                       FilesReady{"/own/programs/x", {{"ab12", 9}}, 1u << 31},
                                       FilesListed{{{"output/a", 2, 3, 0600}}, {"output/link"}},
                                       FileBytes{1u << 20, 0xfedcba98U},
                                       Done{},
                                       RunRemoved{true},
                                       RunWritten{"/own/runs/run-1"},
                                       RunRecords{{{"logs/head.log", 4, "any\n"}}, true},
                                       Refused{"no"}};
  for (const Answer& answer : answers) {
    const auto parsed = parse_answer(render_answer(answer));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_TRUE(*parsed == answer);
  }
}

TEST(RemoteMessages, WhatIsNoMessageIsAnError) {
  for (const char* line : {"", "[]", "{}", "Welcome!", R"({"schema":1})", R"({"schema":"dance"})",
                           R"({"schema":"see","file":"/f"})", R"({"schema":"seen","same":true,"problem":""})",
                           R"({"schema":"signal","signal":65,"boot_id":"","pid":1,"start":0})"}) {
    EXPECT_FALSE(parse_request(line)) << line;
  }
  EXPECT_FALSE(parse_answer(R"({"schema":"seen","same":true,"problem":"","more":1})"));
}

TEST(RemoteMessages, ThePlaceOfAWrongItemIsNamed) {
  for (const char* files : {"5", "\"x\"", "true", "null", "{\"a\":1}"})
    EXPECT_EQ(
        parse_request(std::string(R"({"schema":"ready_programs","files":)") + files + "}").error().message,
        "remote message 'ready_programs': field 'files' is not a list");
  EXPECT_EQ(parse_request(R"({"schema":"ready_programs","files":[{"name":"a","sha256":"b","size":1},7]})")
                .error()
                .message,
            "remote message 'ready_programs': field 'files[1]' is not valid: program file: it is not a JSON "
            "object");
  EXPECT_FALSE(parse_answer(R"({"schema":"run_records","pieces":7,"more":false})"));
  EXPECT_FALSE(parse_request(R"({"schema":"read_run","run_dir":"/r","have":[["a",1]]})"));
}

}  // namespace
}  // namespace ddp::remote
