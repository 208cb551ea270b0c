#include "trainer/data/files/byte_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "trainer/data/files/held_bytes.hpp"
#include "trainer/data/files/open_file.hpp"

namespace ddp::trainer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const ByteSource& source, std::uint64_t offset, std::span<std::uint8_t> bytes) {
  try {
    source.read(offset, bytes);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

class Bytes : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(file_) << "0123456789"; }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "file";
  std::array<std::uint8_t, 3> piece_{};
};

TEST_F(Bytes, OfAFileAndOfMemoryAreReadAtAnyPlace) {
  const OpenFile file(file_);
  const HeldBytes memory = hold({'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'});
  for (const ByteSource* source : {static_cast<const ByteSource*>(&file), memory.source.get()}) {
    source->read(7, piece_);
    EXPECT_THAT(piece_, ElementsAre('7', '8', '9'));
    source->read(0, piece_);
    EXPECT_THAT(piece_, ElementsAre('0', '1', '2'));
    EXPECT_NE(error_of(*source, 8, piece_), "");
    EXPECT_NE(error_of(*source, 1000, piece_), "");
  }
}

TEST_F(Bytes, OfAFileThatWasShortenedAreAnErrorThatNamesIt) {
  const OpenFile file(file_);
  std::filesystem::resize_file(file_, 5);
  file.read(2, piece_);
  EXPECT_THAT(piece_, ElementsAre('2', '3', '4'));
  EXPECT_THAT(error_of(file, 4, piece_),
              testing::AllOf(HasSubstr(file_.string()), HasSubstr("byte 5 is missing; it had 10")));
}

TEST_F(Bytes, OfAFileStayWhenItsNameIsAnothers) {
  const OpenFile file(file_);
  std::ofstream(folder_ / "other") << "abcdefghij";
  std::filesystem::rename(folder_ / "other", file_);
  file.read(4, piece_);
  EXPECT_THAT(piece_, ElementsAre('4', '5', '6'));
}

TEST_F(Bytes, OfALargeFileAreReadAheadUntilNobodyWantsIt) {
  std::ofstream(file_) << std::string(5 << 20, 'x') << "end";
  auto file = std::make_unique<OpenFile>(file_);
  file->read_ahead();
  file->read(5 << 20, piece_);
  EXPECT_THAT(piece_, ElementsAre('e', 'n', 'd'));
  file.reset();
}

TEST_F(Bytes, OfMemoryOutliveWhoeverHeldThem) {
  auto source = hold({'a', 'b', 'c'}).source;
  source->read(0, piece_);
  EXPECT_THAT(piece_, ElementsAre('a', 'b', 'c'));
}

TEST_F(Bytes, AreThoseOfRegularFilesOnly) {
  EXPECT_THROW(OpenFile(folder_.path()), std::runtime_error);
  EXPECT_THROW(OpenFile("/dev/null"), std::runtime_error);
  EXPECT_THROW(OpenFile(folder_ / "absent"), std::runtime_error);
}

}  // namespace
}  // namespace ddp::trainer
