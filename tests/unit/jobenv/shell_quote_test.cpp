#include "cli/script/shell_quote.hpp"

#include <gtest/gtest.h>

#include <random>

#include "cli/system/command_runner.hpp"

namespace ddp::cli {
namespace {

TEST(ShellQuote, LeavesPlainWordsAlone) {
  EXPECT_EQ(quote_for_shell("/a/b-c_d.e=f"), "/a/b-c_d.e=f");
  EXPECT_EQ(render_command_line({"run", "a b", ""}), "run 'a b' ''");
}

// What a shell makes of the quoted words is what they were.
class ShellQuoteBy : public testing::TestWithParam<const char*> {};

TEST_P(ShellQuoteBy, GivesBackEveryWord) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> byte(1, 255);
  std::uniform_int_distribution<std::size_t> length(0, 12);
  std::vector<std::string> words{"$HOME", "`id`", "a'b", "\\", "!x", "~", "*", "-n", "a\nb", "#c", "é"};
  for (int count = 0; count < 300; ++count) {
    std::string word(length(random), ' ');
    for (auto& c : word) c = static_cast<char>(byte(random));
    words.push_back(std::move(word));
  }
  std::string expected;
  for (const auto& word : words) expected += word + '|';
  RealCommandRunner runner;
  const auto result = runner.run({.argv = {GetParam(), "-c", "printf '%s|' " + render_command_line(words)},
                                  .environment = EnvMap({{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}})});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->err, "");
  EXPECT_EQ(result->out, expected);
}

INSTANTIATE_TEST_SUITE_P(Shells, ShellQuoteBy, testing::Values("bash", "dash"));

}  // namespace
}  // namespace ddp::cli
