// Files made to take memory: what their headers promise, what their texts unpack to.
#include "trainer/data/images/image_decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/trainer/peak_memory.hpp"
#include "trainer/data/images/resample.hpp"

namespace ddp::trainer {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::uint64_t kMebibyte = 1 << 20;

void append(Bytes& bytes, std::string_view more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// A progressive JPEG file: its header, and a scan without data.
Bytes jpeg_of(unsigned side) {
  const auto high = static_cast<std::uint8_t>(side >> 8);
  const auto low = static_cast<std::uint8_t>(side);
  Bytes bytes = {0xFF, 0xD8, 0xFF, 0xC2, 0, 17,   8, high, low,  high, low,
                 3,    1,    0x11, 0,    2, 0x11, 0, 3,    0x11, 0};
  const Bytes table = {0xFF, 0xC4, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  bytes.insert(bytes.end(), table.begin(), table.end());
  const Bytes scan = {0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0xFF, 0xD9};
  bytes.insert(bytes.end(), scan.begin(), scan.end());
  return bytes;
}

void append_big_endian(Bytes& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

void append_chunk(Bytes& png, std::string_view type, const Bytes& data) {
  append_big_endian(png, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = png.size();
  append(png, type);
  png.insert(png.end(), data.begin(), data.end());
  append_big_endian(
      png, static_cast<std::uint32_t>(crc32(0, png.data() + begin, static_cast<uInt>(png.size() - begin))));
}

Bytes deflate(const Bytes& plain) {
  uLongf size = compressBound(plain.size());
  Bytes packed(size);
  compress(packed.data(), &size, plain.data(), plain.size());
  packed.resize(size);
  return packed;
}

/// A grey pixel, and `texts` texts of so many bytes each.
Bytes png_with_texts(int texts, std::size_t size) {
  Bytes png;
  append(png, "\x89PNG\r\n\x1A\n");
  append_chunk(png, "IHDR", {0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0});
  Bytes text = {'k', 0, 0};
  const Bytes packed = deflate(Bytes(size, 'x'));
  text.insert(text.end(), packed.begin(), packed.end());
  for (int i = 0; i < texts; ++i) append_chunk(png, "zTXt", text);
  append_chunk(png, "IDAT", deflate({0, 77}));
  append_chunk(png, "IEND", {});
  return png;
}

TEST(ImageDecoder, LooksAtTheSizeOfAJpegBeforeItTakesMemory) {
  const Bytes file = jpeg_of(65500);
  std::string message;
  const auto taken = peak_memory_of([&] {
    try {
      (void)decode_image(file);
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
  });
  EXPECT_EQ(message, "its size is not valid: 65500 x 65500 pixels");
  EXPECT_LT(taken, 64 * kMebibyte);
}

TEST(ImageDecoder, LeavesTheTextsOfAPngPacked) {
  const Bytes file = png_with_texts(60, 7'000'000);
  RgbImage image;
  const auto taken = peak_memory_of([&] { image = decode_image(file); });
  EXPECT_THAT(image.pixels, testing::ElementsAre(77, 77, 77));
  EXPECT_LT(taken, 64 * kMebibyte);
}

TEST(ImageDecoder, ScalesOnlyTheRowsThatAreCutOut) {
  RgbImage column{1'000'000, 1, {}};
  for (std::int64_t y = 0; y < column.height; ++y)
    column.pixels.insert(column.pixels.end(), 3, y < column.height / 2 ? 10 : 200);
  std::vector<std::uint8_t> planes;
  const auto taken = peak_memory_of([&] { planes = resize_and_crop(column, 512, 512); });
  ASSERT_EQ(planes.size(), std::size_t{3 * 512 * 512});
  EXPECT_EQ(planes.front(), 10);
  EXPECT_EQ(planes.back(), 200);
  EXPECT_LT(taken, 64 * kMebibyte);
}

}  // namespace
}  // namespace ddp::trainer
