#include "trainer/data/datasets/image_dataset.hpp"

#include "trainer/data/images/raw_images.hpp"

namespace ddp::trainer {
namespace {

class ImageDataset final : public Dataset, public RawImages {
 public:
  ImageDataset(StoredImages images, ImageTransform transform)
      : images_(std::move(images)), transform_(std::move(transform)) {}

  [[nodiscard]] std::int64_t size() const override { return std::ssize(images_.samples); }

  [[nodiscard]] SampleShape sample_shape() const override { return images_.shape; }

  [[nodiscard]] const ImageTransform& transform() const override { return transform_; }

  void write_image(std::int64_t index, std::uint8_t* pixels, std::int64_t* target) const override {
    const auto& sample = images_.samples[static_cast<std::size_t>(index)];
    images_.sources[sample.source]->read(sample.offset, {pixels, count_pixels()});
    *target = sample.target;
  }

 private:
  void write_sample(std::int64_t index, std::uint64_t epoch, float* input,
                    std::int64_t* target) const override {
    thread_local std::vector<std::uint8_t> pixels;
    pixels.resize(count_pixels());
    write_image(index, pixels.data(), target);
    transform_.write(pixels.data(), epoch, index, input);
  }

  [[nodiscard]] std::size_t count_pixels() const {
    return static_cast<std::size_t>(transform_.shape().values());
  }

  StoredImages images_;
  ImageTransform transform_;
};

}  // namespace

std::unique_ptr<Dataset> make_image_dataset(StoredImages images, ImageTransform transform) {
  return std::make_unique<ImageDataset>(std::move(images), std::move(transform));
}

}  // namespace ddp::trainer
