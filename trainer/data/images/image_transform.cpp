#include "trainer/data/images/image_transform.hpp"

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/data/images/image_options.hpp"

namespace ddp::trainer {
namespace {

std::vector<Levels> make_levels(const Component& source, std::int64_t channels) {
  if (const auto conflict = image_conflict(source, channels); !conflict.empty())
    throw InvalidConfiguration(conflict);
  std::vector<Levels> levels(static_cast<std::size_t>(channels), unit_levels());
  if (!source.get<bool>("normalize")) return levels;
  const auto& mean = source.get<std::vector<double>>("mean");
  const auto& deviation = source.get<std::vector<double>>("std");
  for (std::size_t i = 0; i < levels.size(); ++i)
    levels[i] = normalized_levels(static_cast<float>(mean[i]), static_cast<float>(deviation[i]));
  return levels;
}

Augmentation augmentation_of(const Component& source, Split split) {
  if (split == Split::test) return {};
  return {.crop_padding = static_cast<std::int32_t>(source.get<std::int64_t>("random_crop_padding")),
          .horizontal_flip = source.get<bool>("horizontal_flip")};
}

}  // namespace

ImageTransform::ImageTransform(const Component& source, Split split, std::uint64_t seed,
                               const ImageShape& shape)
    : shape_(shape),
      levels_(make_levels(source, shape.channels)),
      augmentation_(augmentation_of(source, split)),
      seed_(seed) {}

void ImageTransform::write(const std::uint8_t* image, std::uint64_t epoch, std::int64_t index,
                           float* out) const {
  transform_pixels(image, shape_, levels_, draw_crop_flip(augmentation_, seed_, epoch, index), out);
}

}  // namespace ddp::trainer
