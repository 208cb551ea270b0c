#include "trainer/data/fashion_mnist.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "trainer/data/fashion_mnist_files.hpp"
#include "trainer/data/idx_file.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

constexpr std::int64_t kSide = 28;
constexpr std::int64_t kPixels = kSide * kSide;
constexpr std::uint8_t kClasses = 10;
constexpr float kMean = 0.2860F;
constexpr float kDeviation = 0.3530F;

/// What each of the 256 grey levels becomes. A table, so that the arithmetic is done once, and one operation
/// after the other as torchvision does it.
using Levels = std::array<float, 256>;

Levels make_levels(bool normalize) {
  Levels levels{};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i] = static_cast<float>(i) / 255.0F;
    if (!normalize) continue;
    levels[i] -= kMean;
    levels[i] /= kDeviation;
  }
  return levels;
}

IdxArray load_part(const path& root, const std::string& name) {
  if (const auto file = find_fashion_mnist_file(root, name)) return load_idx(*file);
  throw std::runtime_error(no_fashion_mnist_file(root, name) + "; " + kFashionMnistHint);
}

class FashionMnist final : public Dataset {
 public:
  FashionMnist(IdxArray images, IdxArray labels, bool normalize)
      : images_(std::move(images)), labels_(std::move(labels)), levels_(make_levels(normalize)) {}

  [[nodiscard]] std::int64_t size() const override { return labels_.shape[0]; }

  [[nodiscard]] Batch gather(const std::int64_t* indices, std::int64_t count) const override {
    Batch batch{at::empty({count, 1, kSide, kSide}, torch::kFloat32), at::empty({count}, torch::kInt64)};
    auto* pixel = batch.inputs.mutable_data_ptr<float>();
    auto* target = batch.targets.mutable_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t index = indices[i];
      if (index < 0 || index >= size()) throw std::out_of_range("no such sample: " + std::to_string(index));
      target[i] = labels_.bytes[static_cast<std::size_t>(index)];
      const std::uint8_t* image = images_.bytes.data() + index * kPixels;
      pixel = std::transform(image, image + kPixels, pixel,
                             [this](std::uint8_t level) { return levels_[level]; });
    }
    return batch;
  }

 private:
  IdxArray images_;
  IdxArray labels_;
  Levels levels_;
};

void check_fit(const path& root, const IdxArray& images, const IdxArray& labels) {
  const bool is_images = images.shape.size() == 3 && images.shape[1] == kSide && images.shape[2] == kSide;
  if (!is_images || labels.shape.size() != 1 || images.shape[0] != labels.shape[0]) {
    throw std::runtime_error("the files in '" + root.string() +
                             "' are not 28 x 28 images with one label each");
  }
  if (std::ranges::any_of(labels.bytes, [](std::uint8_t label) { return label >= kClasses; })) {
    throw std::runtime_error("the labels in '" + root.string() + "' are not all below 10");
  }
}

}  // namespace

std::unique_ptr<Dataset> make_fashion_mnist(const Component& source, Split split, std::uint64_t /*seed*/) {
  const path root = source.get<std::string>("root");
  const std::string part = split == Split::train ? "train" : "t10k";
  IdxArray images = load_part(root, part + "-images-idx3-ubyte");
  IdxArray labels = load_part(root, part + "-labels-idx1-ubyte");
  check_fit(root, images, labels);
  return std::make_unique<FashionMnist>(std::move(images), std::move(labels), source.get<bool>("normalize"));
}

}  // namespace ddp::trainer
