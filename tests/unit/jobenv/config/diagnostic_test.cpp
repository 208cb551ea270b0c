#include "jobenv/config/diagnostic.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

Error error_at(SourceMark mark, std::string hint = {}) {
  return {ExitCode::config_invalid, "wrong", std::move(hint), std::move(mark)};
}

TEST(Diagnostic, PointsAtThePlace) {
  const Error error{ExitCode::config_invalid, "unknown key 'nodess'", "did you mean 'nodes'?",
                    SourceMark{"run.yaml", 4, 3, 6, "  nodess: 2"}};
  EXPECT_EQ(render_diagnostic(error),
            "error: unknown key 'nodess'\n"
            "  --> run.yaml:4:3\n"
            "   |\n"
            " 4 |   nodess: 2\n"
            "   |   ^^^^^^ help: did you mean 'nodes'?\n");
}

TEST(Diagnostic, TheMarginFitsTheLineNumber) {
  EXPECT_EQ(render_diagnostic(error_at({"run.yaml", 120, 1, 1, "x: 1"})),
            "error: wrong\n"
            "    --> run.yaml:120:1\n"
            "     |\n"
            " 120 | x: 1\n"
            "     | ^\n");
}

TEST(Diagnostic, WritesControlCharactersOut) {
  EXPECT_EQ(
      render_diagnostic({ExitCode::config_invalid, "no file '\x1b[2J\x07\xFFé'", "not \u202Ethis\r", {}}),
      "error: no file '\\x1b[2J\\x07\\xffé'\n"
      "  help: not \\u{202e}this\\x0d\n");
}

TEST(Diagnostic, AnArgumentHasNoLine) {
  EXPECT_EQ(render_diagnostic(error_at({"command line", 0, 11, 5, "resources.nodes=0"}, "use 1")),
            "error: wrong\n"
            "  --> command line\n"
            "   |\n"
            "   | resources.nodes=0\n"
            "   |           ^^^^^ help: use 1\n");
}

TEST(Diagnostic, WithoutAPlaceTheHintHasItsOwnLine) {
  EXPECT_EQ(render_diagnostic({ExitCode::usage, "wrong", "do it right"}),
            "error: wrong\n  help: do it right\n");
  EXPECT_EQ(render_diagnostic({ExitCode::usage, "wrong"}), "error: wrong\n");
}

TEST(Diagnostic, CaretsCountCharactersNotBytes) {
  EXPECT_EQ(render_diagnostic(error_at({"a", 1, 9, 4, "\xC3\xA4\xC3\xB6: x \xC3\xBC\xC3\xB1"})),
            "error: wrong\n"
            "  --> a:1:9\n"
            "   |\n"
            " 1 | \xC3\xA4\xC3\xB6: x \xC3\xBC\xC3\xB1\n"
            "   |       ^^\n");
}

TEST(Diagnostic, WhatATerminalWouldObeyIsNotShown) {
  const std::string text = render_diagnostic(error_at({"a", 1, 4, 1, "a: \x1B[2J\xFF"}));
  EXPECT_NE(text.find(" 1 | a: ?[2J?\n"), std::string::npos) << text;
}

TEST(Diagnostic, LongLinesAreCutAroundTheCarets) {
  const std::string line = std::string(300, 'a') + "HERE" + std::string(300, 'b');
  const std::string text = render_diagnostic(error_at({"a", 1, 301, 4, line}));
  const auto source = text.find(" 1 | ");
  const auto carets = text.find("^^^^");
  ASSERT_NE(carets, std::string::npos);
  EXPECT_NE(text.find("HERE"), std::string::npos);
  EXPECT_EQ(text.find("HERE") - source - std::string("…").size() + 1, carets - text.rfind('\n', carets) - 1);
  for (std::size_t start = 0; start < text.size();) {
    const auto end = text.find('\n', start);
    EXPECT_LT(end - start, 150U);
    start = end + 1;
  }
}

TEST(Diagnostic, APlaceBeyondTheLineIsItsEnd) {
  EXPECT_EQ(render_diagnostic(error_at({"a", 1, 50, 3, "abc"})),
            "error: wrong\n  --> a:1:50\n   |\n 1 | abc\n   |    ^\n");
}

TEST(Diagnostic, AnEmptyLineStandsBetweenTwo) {
  EXPECT_EQ(render_diagnostics({{ExitCode::usage, "one"}, {ExitCode::usage, "two"}}),
            "error: one\n\nerror: two\n");
}

}  // namespace
}  // namespace ddp
