#include "trainer/data/images/image_decoder.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace ddp::trainer {
namespace {

constexpr std::array<std::uint8_t, 3> kJpeg = {0xFF, 0xD8, 0xFF};
constexpr std::array<std::uint8_t, 8> kPng = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;

bool starts_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> first) {
  return bytes.size() >= first.size() && std::ranges::equal(bytes.first(first.size()), first);
}

}  // namespace

RgbImage decode_image(std::span<const std::uint8_t> bytes) {
  if (starts_with(bytes, kJpeg)) return decode_jpeg(bytes);
  if (starts_with(bytes, kPng)) return decode_png(bytes);
  throw std::runtime_error("it is neither a JPEG nor a PNG file");
}

void require_plausible_size(std::uint64_t height, std::uint64_t width) {
  if (height == 0 || width == 0 || height > kMaxPixels / width)
    throw std::runtime_error("its size is not valid: " + std::to_string(width) + " x " +
                             std::to_string(height) + " pixels");
}

RgbImage make_rgb_image(std::uint64_t height, std::uint64_t width) {
  require_plausible_size(height, width);
  return {static_cast<std::int64_t>(height), static_cast<std::int64_t>(width),
          std::vector<std::uint8_t>(height * width * 3)};
}

}  // namespace ddp::trainer
