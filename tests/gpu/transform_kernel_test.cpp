#include <ATen/ATen.h>

#include "tests/gpu/gpu_test.hpp"
#include "tests/support/transform_on_cpu.hpp"
#include "tests/unit/trainer/same_tensors.hpp"

namespace ddp::trainer {
namespace {

/// The kernel against transform_pixels(), bit for bit.
class TransformKernel : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    if (cuda_plugin().transform_images == nullptr)
      GTEST_SKIP() << "libddp_cuda.so was built without a CUDA compiler";
  }

  static ImageBatch random_batch(at::IntArrayRef sizes) {
    return {.pixels = at::randint(256, sizes, at::kByte),
            .indices = at::randint(1'000'000, {sizes[0]}, at::kLong),
            .levels = at::randn({sizes[1], 256}),
            .seed = 7,
            .epoch = 3};
  }

  void expect_bits_of_the_cpu(const ImageBatch& batch) const {
    ImageBatch on_device = batch;
    on_device.pixels = batch.pixels.to(cuda_);
    on_device.indices = batch.indices.to(cuda_);
    on_device.levels = batch.levels.to(cuda_);
    const torch::Tensor made = cuda_plugin().transform_images(on_device);
    EXPECT_EQ(made.device(), cuda_);
    EXPECT_TRUE(same_tensor(made.cpu(), transform_on_cpu(batch)))
        << batch.pixels.sizes() << " padding " << batch.crop_padding << " flip " << batch.horizontal_flip;
  }

  void expect_bits_of_the_cpu_for_all_augmentations(at::IntArrayRef sizes) const {
    ImageBatch batch = random_batch(sizes);
    for (const std::int32_t padding : {0, 4, 40}) {
      for (const bool flip : {false, true}) {
        batch.crop_padding = padding;
        batch.horizontal_flip = flip;
        expect_bits_of_the_cpu(batch);
      }
    }
  }
};

TEST_F(TransformKernel, HasTheBitsOfTheCpuForImagesOfAllSizes) {
  expect_bits_of_the_cpu_for_all_augmentations({1, 1, 1, 1});
  expect_bits_of_the_cpu_for_all_augmentations({257, 1, 28, 28});
  expect_bits_of_the_cpu_for_all_augmentations({64, 3, 32, 32});
  expect_bits_of_the_cpu_for_all_augmentations({5, 3, 33, 31});
  expect_bits_of_the_cpu_for_all_augmentations({3, 1, 1, 4097});
  expect_bits_of_the_cpu_for_all_augmentations({8, 3, 224, 224});
}

TEST_F(TransformKernel, HasTheBitsOfTheCpuForMoreChannelsThanAGridHasRows) {
  expect_bits_of_the_cpu(random_batch({2, 65'540, 1, 3}));
}

TEST_F(TransformKernel, TakesNoImages) {
  expect_bits_of_the_cpu(random_batch({0, 3, 32, 32}));
}

TEST_F(TransformKernel, RefusesTensorsThatAreNotOnTheDevice) {
  EXPECT_THROW((void)cuda_plugin().transform_images(random_batch({1, 1, 2, 2})), c10::Error);
}

}  // namespace
}  // namespace ddp::trainer
