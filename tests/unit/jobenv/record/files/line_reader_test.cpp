#include "jobenv/record/files/line_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/regular_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

class LineReaderTest : public testing::Test {
 protected:
  LineReader read(const std::string& text) {
    EXPECT_TRUE(save_file(folder / "file", text, Durability::visible));
    return LineReader(std::move(*open_regular_file(folder / "file")));
  }

  TemporaryFolder folder;
};

TEST_F(LineReaderTest, GivesLinesThatHaveAnEnd) {
  auto reader = read("one\n\ntwo\ntorn");
  std::vector<std::string> lines;
  while (const auto line = reader.next()) lines.emplace_back(*line);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "two"}));
  EXPECT_EQ(reader.error(), 0);
  EXPECT_FALSE(read("").next());
}

TEST_F(LineReaderTest, GivesLinesOfAnyLengthBelowTheLongest) {
  std::string text;
  std::vector<std::size_t> sizes{1, 65'535, 65'536, 65'537, 5, 1'000'000, 200'000, 0, 3};
  for (const auto size : sizes) text += std::string(size, 'x') + '\n';
  auto reader = read(text);
  for (const auto size : sizes) {
    const auto line = reader.next();
    ASSERT_TRUE(line);
    EXPECT_EQ(*line, std::string(size, 'x'));
    EXPECT_FALSE(reader.was_cut());
  }
  EXPECT_FALSE(reader.next());
}

TEST_F(LineReaderTest, CutsALineThatIsTooLong) {
  constexpr auto kLongest = LineReader::kLongestLine;
  for (const auto size : {kLongest + 1, 2 * kLongest - 1, 2 * kLongest, 5 * kLongest + 7}) {
    auto reader = read("a\n" + std::string(size, 'x') + "\nb\n");
    EXPECT_EQ(reader.next(), "a");
    const auto cut = reader.next();
    ASSERT_TRUE(cut && reader.was_cut()) << size;
    EXPECT_EQ(cut->size(), kLongest);
    EXPECT_EQ(reader.next(), "b");
    EXPECT_FALSE(reader.was_cut());
  }
}

TEST_F(LineReaderTest, SaysWhyItCannotRead) {
  LineReader reader{RegularFile()};
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.error(), EBADF);
}

}  // namespace
}  // namespace ddp
