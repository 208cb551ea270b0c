#include "trainer/augment/crop_flip.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace ddp::trainer {
namespace {

constexpr Augmentation kUsual{.crop_padding = 4, .horizontal_flip = true};

TEST(CropFlip, IsAFunctionOfSeedEpochAndIndex) {
  static_assert(draw_crop_flip(kUsual, 1, 2, 3) == draw_crop_flip(kUsual, 1, 2, 3));
  const auto differing = [](auto draw) {
    int count = 0;
    for (std::int64_t i = 0; i < 1000; ++i) count += draw_crop_flip(kUsual, 1, 2, i) == draw(i) ? 0 : 1;
    return count;
  };
  // Of 9 x 9 x 2 places a second drawing hits the first one in six of 1000 cases.
  EXPECT_GT(differing([](std::int64_t i) { return draw_crop_flip(kUsual, 2, 2, i); }), 980);
  EXPECT_GT(differing([](std::int64_t i) { return draw_crop_flip(kUsual, 1, 3, i); }), 980);
  EXPECT_GT(differing([](std::int64_t i) { return draw_crop_flip(kUsual, 1, 2, i + 1); }), 980);
}

TEST(CropFlip, ComesEquallyOftenToEveryPlace) {
  constexpr int kSamples = 162'000;
  std::map<std::tuple<int, int, bool>, int> counts;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    const CropFlip drawn = draw_crop_flip(kUsual, 7, 0, i);
    ++counts[{drawn.dy, drawn.dx, drawn.flip}];
  }
  ASSERT_EQ(counts.size(), 162U);
  double chi_squared = 0;
  for (const auto& [place, count] : counts) {
    EXPECT_LE(std::abs(std::get<0>(place)), 4);
    EXPECT_LE(std::abs(std::get<1>(place)), 4);
    chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  }
  EXPECT_LT(chi_squared, 250);  // 161 degrees of freedom: above 250 once in 100,000 generators
}

TEST(CropFlip, IsNothingWithoutAugmentation) {
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(draw_crop_flip({}, 1, 1, i), CropFlip{});
}

TEST(CropFlip, TakesEachPixelFromWhereItLay) {
  constexpr std::uint32_t kHeight = 2;
  constexpr std::uint32_t kWidth = 3;
  const auto sources = [](const CropFlip& crop_flip) {
    std::vector<std::int64_t> all;
    for (std::uint32_t pixel = 0; pixel < kHeight * kWidth; ++pixel)
      all.push_back(source_pixel(pixel, kHeight, kWidth, crop_flip));
    return all;
  };
  EXPECT_EQ(sources({}), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(sources({.flip = true}), (std::vector<std::int64_t>{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(sources({.dy = 1, .dx = -1}), (std::vector<std::int64_t>{-1, 3, 4, -1, -1, -1}));
  EXPECT_EQ(sources({.dy = 1, .dx = -1, .flip = true}), (std::vector<std::int64_t>{4, 3, -1, -1, -1, -1}));
}

}  // namespace
}  // namespace ddp::trainer
