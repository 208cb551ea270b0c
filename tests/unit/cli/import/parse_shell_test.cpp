#include <gtest/gtest.h>

#include "cli/import/shell_syntax.hpp"

namespace ddp::cli {
namespace {

using Kind = ShellPart::Kind;

ShellScript parse_text(const std::string& text) {
  return parse_shell(make_source_text("job.sbatch", "/work", text, Origin::config_file));
}

/// The commands of a line, a line each: words in brackets, then what follows the command.
std::string describe_line(const ShellScript& script, std::size_t index) {
  std::string text;
  for (const auto& command : script.lines.at(index).commands) {
    for (const auto& word : command.words) text += "[" + script.text_of(word.begin, word.end) + "]";
    for (const auto& each : command.redirections) text += "<" + script.text_of(each.begin, each.end) + ">";
    text += std::to_string(static_cast<int>(command.joint)) + "\n";
  }
  return text;
}

TEST(ParseShell, SplitsWordsAtBlanks) {
  const auto script = parse_text("srun  python\ttrain.py --lr=0.1\n");
  ASSERT_EQ(script.lines.size(), 1U);
  EXPECT_EQ(describe_line(script, 0), "[srun][python][train.py][--lr=0.1]0\n");
}

TEST(ParseShell, KeepsQuotesAndSubstitutionsTogether) {
  const auto script = parse_text("a 'b c' \"d $(e \"f g\") h\" $(i j) ${k:-l m} $((n + 1)) `o p`\n");
  EXPECT_EQ(describe_line(script, 0),
            "[a]['b c'][\"d $(e \"f g\") h\"][$(i j)][${k:-l m}][$((n + 1))][`o p`]0\n");
}

TEST(ParseShell, ContinuesLines) {
  const auto script = parse_text("srun a \\\n  --b \\\n  c\nd\n");
  ASSERT_EQ(script.lines.size(), 2U);
  EXPECT_EQ(describe_line(script, 0), "[srun][a][--b][c]0\n");
}

TEST(ParseShell, TellsHowCommandsAreConnected) {
  const auto script = parse_text("a; b && c || d | e & f\n");
  EXPECT_EQ(describe_line(script, 0), "[a]1\n[b]2\n[c]3\n[d]4\n[e]5\n[f]0\n");
}

TEST(ParseShell, GoesOnBehindAnOperatorAtTheLineEnd) {
  const auto script = parse_text("a &&\n  b\nc\n");
  ASSERT_EQ(script.lines.size(), 2U);
  EXPECT_EQ(describe_line(script, 0), "[a]2\n[b]0\n");
}

TEST(ParseShell, TakesRedirectionsOutOfTheWords) {
  const auto script = parse_text("a > b 2>&1 < c &> d\n");
  EXPECT_EQ(describe_line(script, 0), "[a]<> b><2>&1><< c><&> d>0\n");
}

TEST(ParseShell, TakesCommentsButNoSignWithinAWord) {
  const auto script = parse_text("# one\na b#c # two\n");
  ASSERT_EQ(script.comments.size(), 2U);
  EXPECT_EQ(script.text_of(script.comments[1].begin, script.comments[1].end), "# two");
  EXPECT_EQ(describe_line(script, 0), "[a][b#c]0\n");
}

TEST(ParseShell, TakesAHereDocumentWithItsLine) {
  const auto script = parse_text("cat >x <<'END'\nfor $( \" '\nEND\nb\n");
  ASSERT_EQ(script.lines.size(), 2U);
  EXPECT_TRUE(script.lines[0].has_here_document);
  EXPECT_EQ(script.text_of(script.lines[0].begin, script.lines[0].end), "cat >x <<'END'\nfor $( \" '\nEND");
  EXPECT_TRUE(script.errors.empty());
}

TEST(ParseShell, TakesALoopAsOneLine) {
  const auto script = parse_text("for i in 1 2; do\n  if a; then b; fi\ndone\nc\n");
  ASSERT_EQ(script.lines.size(), 2U);
  EXPECT_EQ(script.lines[0].compound, "for");
  EXPECT_EQ(script.lines[1].compound, "");
}

TEST(ParseShell, TakesConditionsFunctionsAndGroups) {
  const auto script = parse_text(
      "case $x in\n  0) a ;;\n  *) b ;;\nesac\nf() {\n  a\n}\nfunction g\n{\n  b\n}\n(a; b)\n{ a; }\nc\n");
  ASSERT_EQ(script.lines.size(), 6U);
  EXPECT_EQ(script.lines[0].compound, "case");
  EXPECT_EQ(script.lines[1].compound, "function");
  EXPECT_EQ(script.lines[2].compound, "function");
  EXPECT_EQ(script.lines[3].compound, "(");
  EXPECT_EQ(script.lines[4].compound, "{");
  EXPECT_EQ(script.lines[5].compound, "");
}

TEST(ParseShell, ReadsArrays) {
  const auto script = parse_text("A=(1 'b c'  # comment\n  $(d e))\nf\n");
  ASSERT_EQ(script.lines.size(), 2U);
  const auto& parts = script.lines[0].commands.at(0).words.at(0).parts;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[1].kind, Kind::array);
  EXPECT_EQ(parts[1].elements.size(), 3U);
}

TEST(ParseShell, ReportsWhatDoesNotEnd) {
  EXPECT_EQ(parse_text("echo 'a\n").errors.at(0).where->column, 6);
  EXPECT_EQ(parse_text("a\nif b; then\n").errors.at(0).where->line, 2);
  EXPECT_FALSE(parse_text("cat <<END\nx\n").errors.empty());
}

TEST(ParseShell, KnowsVariablesInQuotes) {
  const auto script = parse_text("\"a $b\"'$c'$d\n");
  const auto& parts = script.lines.at(0).commands.at(0).words.at(0).parts;
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[1].text, "b");
  EXPECT_EQ(parts[1].quoting, Quoting::quoted);
  EXPECT_EQ(parts[2].kind, Kind::text);
  EXPECT_EQ(parts[3].quoting, Quoting::none);
}

TEST(ParseShell, KnowsFoldersOfUsersInAssignments) {
  const auto kind_of = [](const std::string& text, std::size_t part) {
    const auto script = parse_text(text + "\n");
    return script.lines.at(0).commands.at(0).words.at(0).parts.at(part).kind;
  };
  EXPECT_EQ(kind_of("A=~/x", 1), Kind::pattern);
  EXPECT_EQ(kind_of("A=/a:~/x", 1), Kind::pattern);
  EXPECT_EQ(kind_of("A=$B:~/x", 3), Kind::pattern);
  EXPECT_EQ(kind_of("--data=~/x", 0), Kind::text);
  EXPECT_EQ(kind_of("x~", 0), Kind::text);
}

}  // namespace
}  // namespace ddp::cli
