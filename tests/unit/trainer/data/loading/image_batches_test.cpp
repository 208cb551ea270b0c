#include "trainer/data/loading/image_batches.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/transform_on_cpu.hpp"
#include "tests/unit/trainer/component.hpp"
#include "tests/unit/trainer/data/images_of_tensor.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/data/datasets/datasets.hpp"
#include "trainer/data/datasets/image_dataset.hpp"
#include "trainer/data/loading/loader.hpp"

namespace ddp::trainer {
namespace {

constexpr std::int64_t kImages = 11;
constexpr std::uint64_t kSeed = 5;

struct Augmented {
  std::int64_t crop_padding;
  bool horizontal_flip;
};

/// The bytes of random images of an odd size.
class RawPath : public testing::TestWithParam<Augmented> {
 protected:
  [[nodiscard]] std::unique_ptr<Dataset> dataset() const {
    return make_image_dataset(images_of(pixels_), ImageTransform(source(), Split::train, kSeed, {3, 5, 7}));
  }

  [[nodiscard]] static Component source() {
    return make_component(
        bundled_schemas().datasets, "cifar10",
        {{"random_crop_padding", GetParam().crop_padding}, {"horizontal_flip", GetParam().horizontal_flip}});
  }

  torch::Tensor pixels_ = at::randint(256, {kImages, 3, 5, 7}, torch::kUInt8);
};

void expect_same(const Batch& batch, const Batch& expected) {
  EXPECT_TRUE(same_tensor(batch.inputs, expected.inputs));
  EXPECT_TRUE(same_tensor(batch.targets, expected.targets));
}

TEST_P(RawPath, GivesTheBitsOfTheOtherOne) {
  const auto images = dataset();
  const std::vector<std::int64_t> samples = {3, 10, 0, 3, 7, 7, 1};  // the last batch is not full
  for (const int workers : {0, 2}) {
    const LoaderOptions on_host{.batch_size = 3, .workers = workers};
    LoaderOptions raw = on_host;
    raw.transform_images = transform_on_cpu;
    Loader expected(*images, on_host);
    Loader loader(*images, raw);
    for (const std::uint64_t epoch : {0, 1}) {
      expected.start(samples, epoch);
      loader.start(samples, epoch);
      while (expected.remaining() > 0) expect_same(loader.next(), expected.next());
      EXPECT_EQ(loader.remaining(), 0);
    }
  }
}

TEST_P(RawPath, RefusesAnIndexOutside) {
  const auto images = dataset();
  Loader loader(*images, {.transform_images = transform_on_cpu});
  loader.start({kImages}, 0);
  EXPECT_THROW((void)loader.next(), std::out_of_range);
}

INSTANTIATE_TEST_SUITE_P(Augmentations, RawPath,
                         testing::Values(Augmented{0, false}, Augmented{0, true}, Augmented{2, false},
                                         Augmented{9, true}),
                         [](const auto& augmented) {
                           return std::string(augmented.param.crop_padding > 0 ? "Cropped" : "Whole") +
                                  (augmented.param.horizontal_flip ? "Mirrored" : "AsIs");
                         });

torch::Tensor not_called(const ImageBatch&) {
  throw std::logic_error("these are no images");
}

TEST(RawPathOfNumbers, IsTheHosts) {
  const Component source = make_component(bundled_schemas().datasets, "synthetic");
  const auto numbers = make_dataset(source, Split::train, kSeed);
  Loader loader(*numbers, {.batch_size = 4, .transform_images = not_called});
  loader.start({0, 1, 2, 3}, 0);
  expect_same(loader.next(), numbers->gather(std::vector<std::int64_t>{0, 1, 2, 3}, 0));
}

}  // namespace
}  // namespace ddp::trainer
