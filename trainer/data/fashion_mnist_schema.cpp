#include "trainer/config/component_schema.hpp"
#include "trainer/data/fashion_mnist_files.hpp"

namespace ddp::trainer {

namespace {

std::optional<MissingData> find_missing(const Component& source, SplitsRead splits) {
  const auto& root = source.get<std::string>("root");
  std::vector<std::string> names;
  if (splits != SplitsRead::test)
    names.insert(names.end(), {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"});
  if (splits != SplitsRead::train)
    names.insert(names.end(), {"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"});
  for (const auto& name : names) {
    if (!find_fashion_mnist_file(root, name))
      return MissingData{"root", no_fashion_mnist_file(root, name), kFashionMnistHint};
  }
  return std::nullopt;
}

}  // namespace

ComponentSchema fashion_mnist_schema() {
  return {
      .name = "fashion_mnist",
      .doc = "60,000 training and 10,000 test images of clothing, 1 x 28 x 28, 10 classes",
      .options =
          {
              {.key = "root",
               .default_value = std::string("/usr/share/datasets/fashion-mnist"),
               .doc = "folder of the four idx files, plain (mapped, and so shared by the ranks of a host) or "
                      "gzipped (in each rank's memory); the default is that of Debian's package "
                      "dataset-fashion-mnist. Put a new file in the place of a plain one, do not change it "
                      "while a run uses it",
               .text = OptionSchema::Text::path},
              {.key = "normalize",
               .default_value = true,
               .doc = "subtract the mean 0.2860 and divide by 0.3530"},
          },
      .sample_shape =
          [](const Component&) {
            return SampleShape{{1, 28, 28}, 10};
          },
      .missing = find_missing,
  };
}

}  // namespace ddp::trainer
