#include "trainer/data/datasets/cifar10.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

#include "trainer/data/datasets/cifar10_files.hpp"
#include "trainer/data/datasets/image_dataset.hpp"
#include "trainer/data/files/held_bytes.hpp"
#include "trainer/data/files/open_file.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

constexpr ImageShape kCifarShape{3, 32, 32};
constexpr std::size_t kRecord = 1 + static_cast<std::size_t>(kCifarShape.values());
constexpr std::uint8_t kCifarClasses = 10;

void append_records(const path& file, StoredImages& images) {
  const HeldBytes held = hold(std::make_shared<const OpenFile>(file));
  auto rest = held.bytes;
  if (rest.empty() || rest.size() % kRecord != 0) {
    throw std::runtime_error("'" + file.string() + "' has " + std::to_string(rest.size()) +
                             " bytes, which is not a multiple of the record size (1 + 3 x 32 x 32 bytes)");
  }
  const auto source = static_cast<std::uint32_t>(images.sources.size());
  for (; !rest.empty(); rest = rest.subspan(kRecord)) {
    if (rest[0] >= kCifarClasses) {
      throw std::runtime_error("'" + file.string() + "' contains class " + std::to_string(rest[0]) +
                               ", but the classes of CIFAR-10 are 0 to 9");
    }
    images.samples.push_back({held.bytes.size() - rest.size() + 1, source, rest[0]});
  }
  images.sources.push_back(held.source);
}

}  // namespace

std::unique_ptr<Dataset> make_cifar10(const Component& source, Split split, std::uint64_t seed) {
  const path root = source.get<std::string>("root");
  StoredImages images{.samples = {},
                      .shape = {{kCifarShape.channels, kCifarShape.height, kCifarShape.width}, kCifarClasses},
                      .sources = {}};
  for (const auto& name : cifar10_files(split == Split::train ? SplitsRead::train : SplitsRead::test)) {
    if (!std::filesystem::exists(root / name))
      throw std::runtime_error(no_cifar10_file(root, name) + "; " + kCifar10Hint);
    append_records(root / name, images);
  }
  return make_image_dataset(std::move(images), ImageTransform(source, split, seed, kCifarShape));
}

}  // namespace ddp::trainer
