#include "trainer/data/loading/loader.hpp"

#include <ATen/ATen.h>

#include "tests/gpu/gpu_test.hpp"
#include "tests/unit/trainer/component.hpp"
#include "tests/unit/trainer/data/images_of_tensor.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/data/datasets/image_dataset.hpp"

namespace ddp::trainer {
namespace {

/// Batches on the GPU against those of the CPU.
class LoaderOnGpu : public GpuTest {
 protected:
  [[nodiscard]] std::unique_ptr<Dataset> augmented_images() const {
    const Component source =
        make_component(bundled_schemas().datasets, "cifar10",
                       {{"random_crop_padding", std::int64_t{4}}, {"horizontal_flip", true}});
    return make_image_dataset(images_of(pixels_), ImageTransform(source, Split::train, 11, {3, 32, 32}));
  }

  void expect_same_batches(TransformImages* transform_images) const {
    const auto images = augmented_images();
    const std::vector<std::int64_t> samples = {3, 10, 0, 3, 7, 7, 1, 99, 50};
    for (const int workers : {0, 3}) {
      Loader on_cpu(*images, {.batch_size = 4});
      Loader on_gpu(
          *images,
          {.batch_size = 4, .workers = workers, .device = cuda_, .transform_images = transform_images});
      for (const std::uint64_t epoch : {0, 1}) {
        on_cpu.start(samples, epoch);
        on_gpu.start(samples, epoch);
        while (on_cpu.remaining() > 0) {
          const Batch expected = on_cpu.next();
          const Batch batch = on_gpu.next();
          EXPECT_EQ(batch.inputs.device(), cuda_);
          EXPECT_TRUE(same_tensor(batch.inputs.cpu(), expected.inputs));
          EXPECT_TRUE(same_tensor(batch.targets.cpu(), expected.targets));
        }
      }
    }
  }

  torch::Tensor pixels_ = at::randint(256, {100, 3, 32, 32}, torch::kUInt8);
};

TEST_F(LoaderOnGpu, GivesTheBatchesOfTheCpu) {
  expect_same_batches(nullptr);
}

TEST_F(LoaderOnGpu, GivesTheBatchesOfTheCpuOutOfBytes) {
  if (cuda_plugin().transform_images == nullptr)
    GTEST_SKIP() << "libddp_cuda.so was built without a CUDA compiler";
  expect_same_batches(cuda_plugin().transform_images);
}

}  // namespace
}  // namespace ddp::trainer
