#include "cli/top/view/line_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WrapWords : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(setlocale(LC_CTYPE, "C.UTF-8"), nullptr); }
};

TEST_F(WrapWords, TextThatFitsIsOneLine) {
  EXPECT_THAT(wrap_words("rank 1 failed", 13, 3, Charset::utf8), ElementsAre("rank 1 failed"));
  EXPECT_THAT(wrap_words("", 13, 3, Charset::utf8), IsEmpty());
}

TEST_F(WrapWords, LinesEndBehindWholeWords) {
  EXPECT_THAT(wrap_words("rank 1 failed on node2", 13, 3, Charset::utf8),
              ElementsAre("rank 1 failed", "on node2"));
  EXPECT_THAT(wrap_words("rank 1 failed on node2", 12, 3, Charset::utf8),
              ElementsAre("rank 1", "failed on", "node2"));
}

TEST_F(WrapWords, TheLastLineIsCut) {
  EXPECT_THAT(wrap_words("rank 1 failed on node2", 12, 2, Charset::utf8),
              ElementsAre("rank 1", "failed on n…"));
  EXPECT_THAT(wrap_words("rank 1 failed on node2", 12, 1, Charset::ascii), ElementsAre("rank 1 fail~"));
  EXPECT_THAT(wrap_words("rank 1 failed", 12, 0, Charset::utf8), IsEmpty());
}

TEST_F(WrapWords, AWordThatIsWiderThanALineIsCutAndTheLast) {
  EXPECT_THAT(wrap_words("/a/long/path of a file", 8, 3, Charset::utf8), ElementsAre("/a/long…"));
  EXPECT_THAT(wrap_words("at /a/long/path of a file", 8, 3, Charset::utf8), ElementsAre("at", "/a/long…"));
}

TEST_F(WrapWords, WidthsAreColumnsAndNotBytes) {
  EXPECT_THAT(wrap_words("日本 語", 4, 2, Charset::utf8), ElementsAre("日本", "語"));
  EXPECT_THAT(wrap_words("éé éé", 5, 2, Charset::utf8), ElementsAre("éé éé"));
}

}  // namespace
}  // namespace ddp::cli
