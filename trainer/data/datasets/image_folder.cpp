#include "trainer/data/datasets/image_folder.hpp"

#include <algorithm>
#include <stdexcept>

#include "trainer/data/datasets/image_folder_files.hpp"
#include "trainer/data/files/mapped_file.hpp"
#include "trainer/data/files/open_file.hpp"
#include "trainer/data/images/image_decoder.hpp"
#include "trainer/data/images/image_transform.hpp"
#include "trainer/data/images/raw_images.hpp"
#include "trainer/data/images/resample.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

struct Picture {
  path file;
  std::int64_t target;
};

path require_split(const path& root, SplitsRead split) {
  if (auto folder = find_image_split(root, split)) return *folder;
  throw std::runtime_error(no_image_split(root, split));
}

std::vector<Picture> list_pictures(const path& split, const std::vector<std::string>& classes) {
  std::vector<Picture> pictures;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::size_t before = pictures.size();
    for (path& file : list_images(split / classes[i]))
      pictures.push_back({std::move(file), static_cast<std::int64_t>(i)});
    if (pictures.size() == before)
      throw std::runtime_error("there is no JPEG or PNG file in '" + (split / classes[i]).string() + "'");
  }
  if (pictures.empty()) throw std::runtime_error("there are no class folders in '" + split.string() + "'");
  return pictures;
}

class ImageFolder final : public Dataset, public RawImages {
 public:
  ImageFolder(std::vector<Picture> pictures, std::int64_t classes, std::int64_t resize,
              ImageTransform transform)
      : pictures_(std::move(pictures)),
        classes_(classes),
        resize_(resize),
        transform_(std::move(transform)) {}

  [[nodiscard]] std::int64_t size() const override { return std::ssize(pictures_); }

  [[nodiscard]] SampleShape sample_shape() const override {
    const ImageShape& shape = transform_.shape();
    return {{shape.channels, shape.height, shape.width}, classes_};
  }

  [[nodiscard]] const ImageTransform& transform() const override { return transform_; }

  void write_image(std::int64_t index, std::uint8_t* pixels, std::int64_t* target) const override {
    const Picture& picture = pictures_[static_cast<std::size_t>(index)];
    std::ranges::copy(read(picture.file), pixels);
    *target = picture.target;
  }

 private:
  void write_sample(std::int64_t index, std::uint64_t epoch, float* input,
                    std::int64_t* target) const override {
    const Picture& picture = pictures_[static_cast<std::size_t>(index)];
    transform_.write(read(picture.file).data(), epoch, index, input);
    *target = picture.target;
  }

  [[nodiscard]] std::vector<std::uint8_t> read(const path& file) const {
    const MappedFile mapped(file);
    try {
      return resize_and_crop(decode_image(mapped.bytes()), resize_, transform_.shape().height);
    } catch (const std::runtime_error& error) {
      refuse_file(file, error.what());
    }
  }

  std::vector<Picture> pictures_;
  std::int64_t classes_;
  std::int64_t resize_;
  ImageTransform transform_;
};

}  // namespace

std::unique_ptr<Dataset> make_image_folder(const Component& source, Split split, std::uint64_t seed) {
  const path root = source.get<std::string>("root");
  const path folder = require_split(root, split == Split::train ? SplitsRead::train : SplitsRead::test);
  const auto classes = list_image_classes(folder);
  // Other folders beside the pictures that are tested would shift the numbers of the classes.
  const auto train = find_image_split(root, SplitsRead::train);
  if (train && list_image_classes(*train) != classes)
    throw std::runtime_error("'" + folder.string() + "' has different classes than '" + train->string() +
                             "'");
  const auto size = source.get<std::int64_t>("image_size");
  return std::make_unique<ImageFolder>(list_pictures(folder, classes), std::ssize(classes),
                                       source.get<std::int64_t>("resize"),
                                       ImageTransform(source, split, seed, ImageShape{3, size, size}));
}

}  // namespace ddp::trainer
