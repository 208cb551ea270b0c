#include "jobenv/record/files/file_tail.hpp"

#include <gtest/gtest.h>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

TEST(FileTail, IsTheEndOfALongFileAndAllOfAShortOne) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_file(folder / "log", "0123456789", Durability::visible));
  EXPECT_EQ(load_tail(folder / "log", 4), "6789");
  EXPECT_EQ(load_tail(folder / "log", 40), "0123456789");
  EXPECT_EQ(load_tail(folder / "none", 4), "");
}

TEST(FileTail, CountsWholeLines) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc");
  EXPECT_EQ(last_lines("a\nb\nc", 3), "a\nb\nc");
  EXPECT_EQ(last_lines("a\nb", 9), "a\nb");
  EXPECT_EQ(last_lines("\nb\n\n", 1), "b");
  EXPECT_EQ(last_lines("\n", 2), "");
}

TEST(FileTail, TheLastLineIsNotBlank) {
  EXPECT_EQ(last_line("a\nb c \n \n"), "b c");
  EXPECT_EQ(last_line("a"), "a");
  EXPECT_EQ(last_line("\n \n"), "");
  EXPECT_EQ(last_line(""), "");
}

}  // namespace
}  // namespace ddp
