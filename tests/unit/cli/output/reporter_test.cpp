#include "cli/output/reporter.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

namespace ddp::cli {
namespace {

using nlohmann::json;

const Report kReport{"ddpsubmit.test.v1", {{"a", 1}}, "a is 1\n"};

struct Streams {
  std::ostringstream out;
  std::ostringstream err;
};

TEST(TextReporter, PutsDataOnStdoutAndTalkOnStderr) {
  Streams streams;
  const auto reporter = make_text_reporter(streams.out, streams.err, Colour::never);
  reporter->answer(kReport);
  reporter->note("by the way");
  reporter->relay(LogStream::out, "printed");
  reporter->relay(LogStream::err, "complained");
  reporter->errors({{ExitCode::usage, "wrong", "do it right"}});
  EXPECT_EQ(streams.out.str(), "a is 1\nprinted\n");
  EXPECT_EQ(streams.err.str(), "by the way\ncomplained\nerror: wrong\n  help: do it right\n");
}

TEST(TextReporter, ColoursOnlyTheWordError) {
  Streams streams;
  const auto reporter = make_text_reporter(streams.out, streams.err, Colour::terminal);
  reporter->outcome({"s", json::object(), "error: run failed\n"});
  reporter->note("fine");
  EXPECT_EQ(streams.err.str(), "\x1b[1;31merror:\x1b[0m run failed\nfine\n");
}

TEST(TextReporter, BreaksTalkAtWordsAndNothingElse) {
  Streams streams;
  const auto reporter = make_text_reporter(streams.out, streams.err, Colour::never, std::nullopt,
                                           [] { return std::optional<std::size_t>(30); });
  reporter->note("the ranks of this run wait for a lock");
  reporter->relay(LogStream::err, "what a rank prints is left as it is");
  EXPECT_EQ(streams.err.str(),
            "the ranks of this run wait for\n  a lock\n"
            "what a rank prints is left as it is\n");
}

TEST(TextReporter, GivesATerminalNothingThatWouldControlIt) {
  Streams streams;
  const auto reporter = make_text_reporter(Sink(streams.out, Reader::terminal),
                                           Sink(streams.err, Reader::terminal), Colour::terminal);
  reporter->answer({"s", json::object(), "branch \x1b[2J\n"});
  reporter->log_item({"s", json::object(), "\x1b[31mred\x1b[0m\x1b[2J\n"});
  reporter->relay(LogStream::err, "\x1b[K50%\x1b]0;x\a");
  reporter->errors({{ExitCode::run_failed, "it said \x1b[H", ""}});
  EXPECT_EQ(streams.out.str(), "branch \\x1b[2J\n\x1b[31mred\x1b[0m\n");
  EXPECT_EQ(streams.err.str(), "\x1b[K50%\n\x1b[1;31merror:\x1b[0m it said \\x1b[H\n");
}

TEST(TextReporter, GivesAFileEachByte) {
  Streams streams;
  const auto reporter = make_text_reporter(streams.out, streams.err, Colour::never);
  reporter->log_item({"s", json::object(), "\x1b]0;x\a\xff\n"});
  reporter->relay(LogStream::err, "\x1b[2J");
  EXPECT_EQ(streams.out.str(), "\x1b]0;x\a\xff\n");
  EXPECT_EQ(streams.err.str(), "\x1b[2J\n");
}

TEST(TextReporter, NeverColoursWhenAskedNotTo) {
  EXPECT_EQ(colour_for(EnvMap().set("NO_COLOR", "1"), STDERR_FILENO), Colour::never);
  EXPECT_EQ(colour_for(EnvMap().set("TERM", "dumb"), STDERR_FILENO), Colour::never);
}

TEST(JsonReporter, PrintsOneValueWithItsSchemaFirst) {
  Streams streams;
  const auto reporter = make_json_reporter(streams.out, streams.err);
  reporter->relay(LogStream::out, "printed");
  reporter->answer(kReport);
  EXPECT_EQ(streams.out.str(), "{\n  \"schema\": \"ddpsubmit.test.v1\",\n  \"a\": 1\n}\n");
  EXPECT_EQ(streams.err.str(), "");
}

TEST(JsonReporter, PrintsItemsAsLines) {
  Streams streams;
  const auto reporter = make_json_reporter(streams.out, streams.err);
  reporter->item(kReport);
  reporter->item({"ddpsubmit.test.v1", {{"text", "broken \xff"}}, {}});
  EXPECT_EQ(streams.out.str(),
            "{\"schema\":\"ddpsubmit.test.v1\",\"a\":1}\n"
            "{\"schema\":\"ddpsubmit.test.v1\",\"text\":\"broken \xef\xbf\xbd\"}\n");
}

TEST(TextReporter, PutsTheErrorsOfAPartialAnswerOnStderr) {
  Streams streams;
  const auto reporter = make_text_reporter(streams.out, streams.err, Colour::never);
  reporter->partial_answer(kReport, {{ExitCode::not_found, "no run 'b'"}});
  EXPECT_EQ(streams.out.str(), "a is 1\n");
  EXPECT_EQ(streams.err.str(), "error: no run 'b'\n");
}

TEST(JsonReporter, PutsTheErrorsOfAPartialAnswerIntoIt) {
  Streams streams;
  const auto reporter = make_json_reporter(streams.out, streams.err);
  reporter->partial_answer(kReport, {{ExitCode::not_found, "no run 'b'"}});
  const auto value = json::parse(streams.out.str());
  EXPECT_EQ(value["a"], 1);
  EXPECT_EQ(value["errors"][0]["message"], "no run 'b'");
  EXPECT_EQ(value["errors"][0]["code"], 5);
}

TEST(WorstCode, IsTheHighest) {
  EXPECT_EQ(worst_code({}), ExitCode::ok);
  EXPECT_EQ(worst_code({{ExitCode::not_found, "a"}, {ExitCode::still_running, "b"}, {ExitCode::usage, "c"}}),
            ExitCode::still_running);
}

TEST(JsonReporter, PrintsErrorsAsTheValue) {
  Streams streams;
  const auto reporter = make_json_reporter(streams.out, streams.err);
  Error error{ExitCode::config_invalid, "unknown key", "did you mean 'x'?"};
  error.where = SourceMark{.file = "f.yaml", .line = 2, .column = 3, .length = 4, .text = "  keyy: 1"};
  reporter->errors({error, {ExitCode::config_invalid, "second"}});
  const auto value = json::parse(streams.out.str());
  EXPECT_EQ(value["schema"], "ddpsubmit.error.v1");
  EXPECT_EQ(value["exit_code"], 3);
  EXPECT_EQ(value["errors"][0]["where"]["line"], 2);
  EXPECT_EQ(value["errors"][0]["hint"], "did you mean 'x'?");
  EXPECT_TRUE(value["errors"][1]["where"].is_null());
}

}  // namespace
}  // namespace ddp::cli
