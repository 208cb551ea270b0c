#include "ddp/jobenv/shell_quote.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

std::string load(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

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
  const TemporaryFolder folder;
  std::ofstream(folder / "script", std::ios::binary) << "printf '%s|' " + render_command_line(words);
  const std::string command = "cd " + folder.path().string() + " && env -i PATH=/usr/bin:/bin LC_ALL=C " +
                              GetParam() + " script >out 2>err";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(load(folder / "err"), "");
  EXPECT_EQ(load(folder / "out"), expected);
}

INSTANTIATE_TEST_SUITE_P(Shells, ShellQuoteBy, testing::Values("bash", "dash"));

TEST(ShellQuote, ATextOfSeveralLinesIsShownOnOne) {
  EXPECT_EQ(quote_on_one_line("a b"), "'a b'");
  EXPECT_EQ(quote_on_one_line("it's\n\\\tb\n"), R"($'it\'s\n\\\tb\n')");
}

}  // namespace
}  // namespace ddp
