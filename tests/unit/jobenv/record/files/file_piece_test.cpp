#include "jobenv/record/files/file_piece.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

namespace fs = std::filesystem;

TEST(FilePiece, AFileGoesFromOneFolderToAnotherInPieces) {
  const TemporaryFolder from, to;
  std::string text;
  while (text.size() < 2 * kMostPieceBytes + 10) text += std::to_string(text.size()) + "\n";
  std::ofstream(from / "log") << text;
  for (std::uint64_t offset = 0;;) {
    const FilePiece piece = load_piece(from.path(), "log", offset);
    if (piece.bytes.empty()) break;
    ASSERT_TRUE(save_piece(to.path(), {"logs/a/" + piece.path, piece.offset, piece.bytes}));
    offset += piece.bytes.size();
  }
  EXPECT_EQ(load_file(to / "logs/a/log"), text);
}

TEST(FilePiece, WhatIsThereBesideItStays) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_piece(folder.path(), {"log", 0, "one\ntwo\n"}));
  ASSERT_TRUE(save_piece(folder.path(), {"log", 0, "one\n"}));  // of an agent that begins anew
  EXPECT_EQ(load_file(folder / "log"), "one\ntwo\n");
}

TEST(FilePiece, NoneIsWrittenOutsideOfTheFolder) {
  const TemporaryFolder folder;
  for (const char* path : {"", "/etc/x", "../x", "logs/../../x", ".", "./x", "logs/", "a/..", "a/."}) {
    EXPECT_FALSE(stays_below(path)) << path;
    EXPECT_FALSE(save_piece(folder.path(), {path, 0, "x"})) << path;
    EXPECT_FALSE(parse_file_piece(to_json(FilePiece{path, 0, "x"}))) << path;
  }
  fs::create_symlink("/dev/null", folder / "link");
  EXPECT_FALSE(save_piece(folder.path(), {"link", 0, "x"}));
}

TEST(FilePiece, AnyBytesTravelAsText) {
  const FilePiece piece{"logs/rank-0.out", 7, std::string("\0\xff\n\"", 4)};
  EXPECT_EQ(parse_file_piece(nlohmann::json::parse(to_json(piece).dump())), piece);
  for (const char* text :
       {"{}", "[]", R"({"path":"a","offset":-1,"bytes":""})", R"({"path":"a","offset":0,"bytes":"?"})",
        R"({"path":1,"offset":0,"bytes":""})", R"({"path":"a","offset":0,"bytes":"","more":1})"})
    EXPECT_FALSE(parse_file_piece(nlohmann::json::parse(text))) << text;
}

}  // namespace
}  // namespace ddp
