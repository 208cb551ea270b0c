#include "trainer/data/files/idx_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/data/files/gzipped.hpp"

namespace ddp::trainer {
namespace {

using testing::HasSubstr;

/// Three rows of five bytes.
std::string small_idx() {
  std::string text("\0\0\x08\x02\0\0\0\x03\0\0\0\x05", 12);
  for (char c = 0; c < 15; ++c) text += static_cast<char>(c * 17);
  return text;
}

class IdxFile : public testing::Test {
 protected:
  void SetUp() override { setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1); }
  void TearDown() override { unsetenv("XDG_CACHE_HOME"); }
  IdxArray load(const std::string& text) {
    std::ofstream(folder_ / "file", std::ios::binary) << text;
    return load_idx(folder_ / "file");
  }

  std::string error_of(const std::string& text) {
    try {
      load(text);
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr((folder_ / "file").string()));
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(IdxFile, ReadsPlainAndGzip) {
  for (const std::string& text : {small_idx(), gzipped(small_idx())}) {
    const IdxArray array = load(text);
    EXPECT_THAT(array.shape, testing::ElementsAre(3, 5));
    ASSERT_EQ(array.bytes.size(), 15);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(array.bytes[i], i * 17);
  }
}

TEST_F(IdxFile, MapsAPlainFileForALookThroughItOnly) {
  const auto maps = [this] {
    std::ifstream file("/proc/self/maps");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.find((folder_ / "file").string()) != std::string::npos;
  };
  IdxArray array = load(small_idx());
  EXPECT_TRUE(maps());
  array.owner.reset();
  EXPECT_FALSE(maps());
}

TEST_F(IdxFile, IsReadPieceByPieceWhenNothingHoldsItAnyMore) {
  for (const std::string& text : {small_idx(), gzipped(small_idx())}) {
    IdxArray array = load(text);
    array.owner.reset();
    std::filesystem::remove(folder_ / "file");
    std::array<std::uint8_t, 2> piece{};
    array.source->read(array.offset + 13, piece);
    EXPECT_THAT(piece, testing::ElementsAre(13 * 17, 14 * 17));
  }
}

TEST_F(IdxFile, RefusesEveryTruncation) {
  for (const std::string& text : {small_idx(), gzipped(small_idx())}) {
    for (std::size_t size = 0; size < text.size(); ++size)
      ASSERT_NE(error_of(text.substr(0, size)), "") << size;
  }
}

TEST_F(IdxFile, SaysWhereAFileEnds) {
  EXPECT_THAT(error_of(small_idx().substr(0, 10)), HasSubstr("ends within its header"));
  EXPECT_THAT(error_of(small_idx().substr(0, 20)), HasSubstr("ends within its data"));
  EXPECT_THAT(error_of(gzipped(small_idx()).substr(0, 20)), HasSubstr("damaged or cut short"));
}

TEST_F(IdxFile, RefusesMoreThanTheHeaderSays) {
  EXPECT_THAT(error_of(small_idx() + "x"), HasSubstr("more bytes"));
  EXPECT_THAT(error_of(gzipped(small_idx() + "x")), HasSubstr("more bytes"));
}

TEST_F(IdxFile, NoDamageToGzipDataGoesUnseen) {
  const std::string whole = gzipped(small_idx());
  const IdxArray undamaged = load(whole);
  constexpr std::size_t kGzipHeader = 10;  // its time and system fields mean nothing to us
  for (std::size_t at = kGzipHeader; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      // The bits between the end of the compressed data and the next byte are not used.
      ASSERT_TRUE(error_of(damaged) != "" || std::ranges::equal(load(damaged).bytes, undamaged.bytes))
          << at << " " << bit;
    }
  }
}

TEST_F(IdxFile, RefusesOtherFormats) {
  EXPECT_THAT(error_of("\x89PNG\r\n\x1a\n"), HasSubstr("not an idx file"));
  std::string floats = small_idx();
  floats[2] = 0x0D;
  EXPECT_THAT(error_of(floats), HasSubstr("not an idx file of unsigned bytes"));
  std::string scalar = small_idx();
  scalar[3] = 0;
  EXPECT_THAT(error_of(scalar), HasSubstr("not an idx file"));
}

TEST_F(IdxFile, TakesNoMemoryForWhatAHeaderPromises) {
  std::string huge = small_idx();
  for (std::size_t i = 4; i < 12; ++i) huge[i] = '\xFF';
  EXPECT_THAT(error_of(huge), HasSubstr("more than 1 GiB"));
}

TEST_F(IdxFile, NamesAFileThatIsNotThere) {
  try {
    (void)load_idx(folder_ / "absent");
    ADD_FAILURE() << "an absent file was read";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("absent"), HasSubstr("No such file")));
  }
  EXPECT_THROW((void)load_idx(folder_.path()), std::runtime_error);
}

}  // namespace
}  // namespace ddp::trainer
