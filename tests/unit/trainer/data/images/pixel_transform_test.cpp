#include "trainer/data/images/pixel_transform.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace ddp::trainer {
namespace {

const ImageShape kShape{3, 5, 7};

torch::Tensor random_image() {
  return at::randint(256, {kShape.channels, kShape.height, kShape.width}, torch::kUInt8);
}

torch::Tensor transform(const torch::Tensor& image, const std::vector<Levels>& levels,
                        const CropFlip& crop_flip) {
  torch::Tensor out = at::empty(image.sizes(), torch::kFloat32);
  transform_pixels(image.const_data_ptr<std::uint8_t>(), kShape, levels, crop_flip,
                   out.mutable_data_ptr<float>());
  return out;
}

/// ToTensor and Normalize of torchvision, operation by operation.
torch::Tensor normalize(const torch::Tensor& image, at::ArrayRef<double> mean,
                        at::ArrayRef<double> deviation) {
  const auto per_channel = [](at::ArrayRef<double> values) {
    return at::tensor(values, torch::kFloat32).view({-1, 1, 1});
  };
  return image.to(torch::kFloat32).div(255).sub_(per_channel(mean)).div_(per_channel(deviation));
}

TEST(PixelTransform, EqualsToTensorBitForBit) {
  const auto image = random_image();
  const std::vector<Levels> levels(3, unit_levels());
  EXPECT_TRUE(transform(image, levels, {}).equal(image.to(torch::kFloat32).div(255)));
}

TEST(PixelTransform, EqualsNormalizeBitForBitForEveryByte) {
  const auto image = at::arange(256, torch::kInt64).to(torch::kUInt8);
  for (const auto& [mean, deviation] : {std::pair{0.4914, 0.2470}, {0.1307, 0.3081}, {0.5, 0.5}}) {
    const Levels levels = normalized_levels(static_cast<float>(mean), static_cast<float>(deviation));
    const auto expected = normalize(image.view({1, 16, 16}), mean, deviation);
    EXPECT_EQ(0, std::memcmp(levels.data(), expected.const_data_ptr(), sizeof levels));
  }
}

TEST(PixelTransform, NormalizesEachChannelByItself) {
  const auto image = random_image();
  const std::vector<Levels> levels = {normalized_levels(0.1F, 0.2F), normalized_levels(0.3F, 0.4F),
                                      normalized_levels(0.5F, 0.6F)};
  EXPECT_TRUE(transform(image, levels, {}).equal(normalize(image, {0.1, 0.3, 0.5}, {0.2, 0.4, 0.6})));
}

TEST(PixelTransform, CropsOutOfThePaddedImageAndMirrors) {
  constexpr std::int64_t kPadding = 9;  // more than the image has
  const auto image = random_image();
  const std::vector<Levels> levels(3, normalized_levels(0.5F, 0.25F));
  const auto padded = at::constant_pad_nd(image, {kPadding, kPadding, kPadding, kPadding});
  for (int dy = -kPadding; dy <= kPadding; ++dy) {
    for (int dx = -kPadding; dx <= kPadding; ++dx) {
      auto window = padded.narrow(1, kPadding + dy, kShape.height).narrow(2, kPadding + dx, kShape.width);
      const auto expected = normalize(window, {0.5, 0.5, 0.5}, {0.25, 0.25, 0.25});
      EXPECT_TRUE(transform(image, levels, {dy, dx, false}).equal(expected)) << dy << ' ' << dx;
      EXPECT_TRUE(transform(image, levels, {dy, dx, true}).equal(expected.flip(2))) << dy << ' ' << dx;
    }
  }
}

/// What the kernel for GPUs does, pixel by pixel.
torch::Tensor look_up(const torch::Tensor& image, const Levels& levels, const CropFlip& crop_flip) {
  torch::Tensor out = at::empty(image.sizes(), torch::kFloat32);
  const auto size = static_cast<std::uint32_t>(kShape.height * kShape.width);
  for (std::int64_t channel = 0; channel < kShape.channels; ++channel) {
    const auto* bytes = image.const_data_ptr<std::uint8_t>() + channel * size;
    for (std::uint32_t pixel = 0; pixel < size; ++pixel) {
      const std::int64_t source = source_pixel(pixel, static_cast<std::uint32_t>(kShape.height),
                                               static_cast<std::uint32_t>(kShape.width), crop_flip);
      out.mutable_data_ptr<float>()[channel * size + pixel] = levels[source == kOutside ? 0 : bytes[source]];
    }
  }
  return out;
}

TEST(PixelTransform, IsALookUpForEachPixel) {
  const auto image = random_image();
  const std::vector<Levels> levels(3, normalized_levels(0.5F, 0.25F));
  for (int dy = -9; dy <= 9; ++dy) {
    for (int dx = -9; dx <= 9; ++dx) {
      for (const bool flip : {false, true}) {
        const CropFlip crop_flip{dy, dx, flip};
        EXPECT_TRUE(transform(image, levels, crop_flip).equal(look_up(image, levels[0], crop_flip)));
      }
    }
  }
}

}  // namespace
}  // namespace ddp::trainer
