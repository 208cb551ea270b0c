#include "cli/store/line_buffer.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using Texts = std::vector<std::string>;

class Lines : public testing::Test {
 protected:
  Texts append(std::string_view bytes) {
    Texts lines;
    buffer.append(bytes, lines);
    return lines;
  }
  LineBuffer buffer;
};

TEST_F(Lines, EndAtANewline) {
  EXPECT_EQ(append("one\ntw"), Texts{"one"});
  EXPECT_EQ(append("o\n\nthree"), (Texts{"two", ""}));
  EXPECT_EQ(buffer.take(), "three");
  EXPECT_TRUE(buffer.is_empty());
}

TEST_F(Lines, AreTheirLastState) {
  EXPECT_EQ(append("\r  0%\r 50%\r100%\nnext\n"), (Texts{"100%", "next"}));
  EXPECT_EQ(append("10%\r20%\r\n"), Texts{"20%"}) << "the carriage return may stand behind a state, too";
  EXPECT_EQ(append("DOS\r\n"), Texts{"DOS"});
}

TEST_F(Lines, AreRewrittenPieceByPiece) {
  EXPECT_EQ(append("1"), Texts{});
  EXPECT_FALSE(buffer.is_rewritten());
  for (const auto* piece : {"0%", "\r2", "0%\r", "30%"}) append(piece);
  EXPECT_TRUE(buffer.is_rewritten());
  EXPECT_EQ(buffer.unfinished(), "30%");
  append("\r");
  EXPECT_EQ(buffer.unfinished(), "30%");
  EXPECT_EQ(append("\nplain"), Texts{"30%"});
  EXPECT_FALSE(buffer.is_rewritten());
}

TEST_F(Lines, ABarThatWasRemovedLeavesNothing) {
  append("\r 50%\r     \r");
  EXPECT_TRUE(buffer.is_empty());
  EXPECT_EQ(append("next\n"), Texts{"next"});
  append("   ");
  EXPECT_FALSE(buffer.is_empty()) << "that is what the program has printed";
}

TEST_F(Lines, ABarOfManyStatesTakesNoMemory) {
  Texts lines;
  for (int state = 0; state < 1'000'000; ++state) buffer.append("\r" + std::to_string(state), lines);
  EXPECT_EQ(lines, Texts{});
  EXPECT_EQ(buffer.take(), "999999");
}

TEST_F(Lines, AreHandedOnInPiecesWhenTheyNeverEnd) {
  const std::string piece(200'000, 'x');
  EXPECT_EQ(append(piece), Texts{});
  EXPECT_EQ(append(piece), Texts{piece + piece});
}

}  // namespace
}  // namespace ddp::cli
