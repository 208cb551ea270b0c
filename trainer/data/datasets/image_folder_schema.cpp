#include "trainer/data/datasets/image_folder_files.hpp"
#include "trainer/data/images/image_options.hpp"

namespace ddp::trainer {
namespace {

constexpr IntegerRange kPixels{1, 8192};

std::string crop_conflict(const Component& source) {
  const auto resize = source.get<std::int64_t>("resize");
  const auto size = source.get<std::int64_t>("image_size");
  if (resize < size)
    return "no square of " + std::to_string(size) +
           " pixels (image_size) can be cut out of a picture whose " + "shorter side has " +
           std::to_string(resize) + " (resize)";
  return image_conflict(source, 3);
}

std::optional<SampleShape> image_shape(const Component& source) {
  const auto size = source.get<std::int64_t>("image_size");
  SampleShape shape{{3, size, size}, 0};
  if (const auto train = find_image_split(source.get<std::string>("root"), SplitsRead::train))
    shape.classes = std::ssize(list_image_classes(*train));
  return shape;
}

std::optional<MissingData> find_missing_split(const Component& source, SplitsRead splits) {
  const auto& root = source.get<std::string>("root");
  for (const SplitsRead split : {SplitsRead::train, SplitsRead::test}) {
    const bool is_read = splits == SplitsRead::both || splits == split;
    if (is_read && !find_image_split(root, split))
      return MissingData{"root", no_image_split(root, split),
                         "put the images into train/CLASS/ and test/CLASS/ of the folder train.data.root"};
  }
  return std::nullopt;
}

}  // namespace

ComponentSchema image_folder_schema() {
  return {
      .name = "image_folder",
      .doc =
          "JPEG and PNG files in train/CLASS/ and test/CLASS/ (or val/CLASS/); classes are numbered by their "
          "names",
      .options = with_image_options(
          {
              {.key = "root",
               .default_value = std::string(),
               .doc = "folder with the subfolders train and test (or val)",
               .text = OptionSchema::Text::required_path},
              {.key = "resize",
               .default_value = std::int64_t{256},
               .doc = "number of pixels that the shorter side of each image is scaled to, as torchvision's "
                      "Resize",
               .integers = kPixels},
              {.key = "image_size",
               .default_value = std::int64_t{224},
               .doc = "side, in pixels, of the square that is cut out of the middle of each image, as "
                      "torchvision's CenterCrop",
               .integers = kPixels},
          },
          {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}),
      .conflict = crop_conflict,
      .sample_shape = image_shape,
      .missing = find_missing_split,
  };
}

}  // namespace ddp::trainer
