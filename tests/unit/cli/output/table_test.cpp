#include "cli/output/table.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(Table, AlignsColumnsAndLeavesNoTrailingSpace) {
  EXPECT_EQ(render_table({{"A", "B", "C"}, {"long", "", "x"}, {"y", "zz"}, {"", "", ""}}),
            "A     B   C\n"
            "long      x\n"
            "y     zz\n"
            "\n");
}

TEST(Table, OfNothingIsNothing) {
  EXPECT_EQ(render_table({}), "");
  EXPECT_EQ(render_table({}, 80), "");
}

TEST(Table, WrapsTheWidestColumnAtTheWidthOfTheTerminal) {
  EXPECT_EQ(render_table({{"KEY", "a", "b"}, {"message", "-", "rank 1 was killed by a signal"}}, 29),
            "KEY      a  b\n"
            "message  -  rank 1 was killed\n"
            "            by a signal\n");
}

TEST(Table, CutsAWordThatIsLongerThanItsColumnAndNoCharacter) {
  EXPECT_EQ(render_table({{"A", "/a/very/long/path"}}, 4),
            "A  /a/very/\n"
            "   long/path\n")
      << "a column keeps 12 bytes";
  EXPECT_EQ(render_table({{"A", "01234567890\xc3\xa9z"}}, 15),
            "A  01234567890\n"
            "   \xc3\xa9z\n");
}

TEST(Table, NeverWrapsTheFirstColumn) {
  EXPECT_EQ(render_table({{"mnist-sweep-1a2b3c4d/0", "rank 1 was killed"}}, 30),
            "mnist-sweep-1a2b3c4d/0  rank 1 was\n"
            "                        killed\n");
  EXPECT_EQ(render_table({{"mnist-sweep-1a2b3c4d/0"}}, 10), "mnist-sweep-1a2b3c4d/0\n");
}

TEST(Table, BreaksAWordOnlyWhereNoOtherColumnCanBeNarrower) {
  const std::vector<std::vector<std::string>> rows{{"RUN", "weight_decay_of_all", "MESSAGE"},
                                                   {"a-1", "0.1", "it ran out of the memory of its node"}};
  EXPECT_TRUE(fits_table(rows, 38));
  EXPECT_FALSE(fits_table(rows, 37));
  EXPECT_EQ(render_table(rows, 38),
            "RUN  weight_decay_of_all  MESSAGE\n"
            "a-1  0.1                  it ran out\n"
            "                          of the\n"
            "                          memory of\n"
            "                          its node\n");
}

TEST(Table, WrapsTheLastColumnAtWordsOfWhichNoneIsCut) {
  const std::vector<std::vector<std::string>> rows{{"state", "failed"},
                                                   {"reason", "rank 1 was killed by a signal"},
                                                   {"folder", "/a/path/that/is/quite/long"}};
  EXPECT_EQ(render_table(wrap_last_column(rows, 32)),
            "state   failed\n"
            "reason  rank 1 was killed by a\n"
            "        signal\n"
            "folder  /a/path/that/is/quite/long\n");
  EXPECT_EQ(wrap_last_column(rows, 80), rows);
  EXPECT_TRUE(wrap_last_column({}, 80).empty());
}

TEST(Table, ThatFitsIsNotWrapped) {
  EXPECT_EQ(render_table({{"a word", "b"}}, 9), "a word  b\n");
}

}  // namespace
}  // namespace ddp::cli
