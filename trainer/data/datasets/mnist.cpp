#include "trainer/data/datasets/mnist.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "trainer/data/datasets/image_dataset.hpp"
#include "trainer/data/datasets/mnist_files.hpp"
#include "trainer/data/files/idx_file.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

constexpr ImageShape kMnistShape{1, 28, 28};
constexpr std::uint8_t kMnistClasses = 10;

IdxArray load_part(const MnistFamily& family, const path& root, const std::string& name) {
  if (const auto file = find_mnist_file(root, name)) return load_idx(*file);
  throw std::runtime_error(no_mnist_file(family, root, name) + "; " + std::string(family.hint));
}

void check_fit(const path& root, const IdxArray& images, const IdxArray& labels) {
  const bool is_images = images.shape.size() == 3 && images.shape[1] == kMnistShape.height &&
                         images.shape[2] == kMnistShape.width;
  if (!is_images || labels.shape.size() != 1 || images.shape[0] != labels.shape[0]) {
    throw std::runtime_error("the files in '" + root.string() +
                             "' are not 28 x 28 images with one label each");
  }
  if (std::ranges::any_of(labels.bytes, [](std::uint8_t label) { return label >= kMnistClasses; })) {
    throw std::runtime_error("the labels in '" + root.string() + "' are not all below 10");
  }
}

StoredImages join(const IdxArray& images, const IdxArray& labels) {
  StoredImages stored{.samples = {},
                      .shape = {{kMnistShape.channels, kMnistShape.height, kMnistShape.width}, kMnistClasses},
                      .sources = {images.source}};
  stored.samples.reserve(labels.bytes.size());
  std::uint64_t offset = images.offset;
  for (const std::uint8_t label : labels.bytes) {
    stored.samples.push_back({offset, 0, label});
    offset += static_cast<std::uint64_t>(kMnistShape.values());
  }
  return stored;
}

}  // namespace

std::unique_ptr<Dataset> make_mnist(const Component& source, Split split, std::uint64_t seed) {
  const MnistFamily& family = find_mnist_family(source.name);
  const path root = source.get<std::string>("root");
  const std::string part = split == Split::train ? "train" : "t10k";
  const IdxArray images = load_part(family, root, part + "-images-idx3-ubyte");
  const IdxArray labels = load_part(family, root, part + "-labels-idx1-ubyte");
  check_fit(root, images, labels);
  return make_image_dataset(join(images, labels), ImageTransform(source, split, seed, kMnistShape));
}

}  // namespace ddp::trainer
