#include <filesystem>

#include "trainer/data/datasets/cifar10_files.hpp"
#include "trainer/data/images/image_options.hpp"

namespace ddp::trainer {
namespace {

std::optional<MissingData> find_missing(const Component& source, SplitsRead splits) {
  const auto& root = source.get<std::string>("root");
  for (const std::string& name : cifar10_files(splits)) {
    std::error_code unreadable;
    if (!std::filesystem::exists(std::filesystem::path(root) / name, unreadable))
      return MissingData{"root", no_cifar10_file(root, name), kCifar10Hint};
  }
  return std::nullopt;
}

}  // namespace

ComponentSchema cifar10_schema() {
  OptionSchema root = {.key = "root",
                       .default_value = std::string(),
                       .doc =
                           "folder of data_batch_1.bin to data_batch_5.bin and test_batch.bin, which is "
                           "cifar-10-batches-bin in cifar-10-binary.tar.gz. Images are read on demand",
                       .text = OptionSchema::Text::required_path};
  return {
      .name = "cifar10",
      .doc = "50,000 training and 10,000 test photos, 3 x 32 x 32, 10 classes",
      .options = with_image_options({std::move(root)}, {0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}),
      .conflict = [](const Component& source) { return image_conflict(source, 3); },
      .sample_shape = [](const Component&) -> std::optional<SampleShape> {
        return SampleShape{{3, 32, 32}, 10};
      },
      .missing = find_missing,
  };
}

}  // namespace ddp::trainer
