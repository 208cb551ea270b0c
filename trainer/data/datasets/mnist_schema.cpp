#include "trainer/data/datasets/mnist_files.hpp"
#include "trainer/data/images/image_options.hpp"

namespace ddp::trainer {

ComponentSchema mnist_schema() {
  OptionSchema root = {.key = "root",
                       .default_value = std::string(),
                       .doc =
                           "folder of the four idx files, plain or gzipped, read as those of fashion_mnist; "
                           "torchvision's MNIST stores them in MNIST/raw",
                       .text = OptionSchema::Text::required_path};
  return {
      .name = "mnist",
      .doc = "60,000 training and 10,000 test images of handwritten digits, 1 x 28 x 28, 10 classes",
      .options = with_image_options({std::move(root)}, {0.1307}, {0.3081}),
      .conflict = [](const Component& source) { return image_conflict(source, 1); },
      .sample_shape = [](const Component&) -> std::optional<SampleShape> {
        return SampleShape{{1, 28, 28}, 10};
      },
      .missing = find_missing_mnist,
  };
}

}  // namespace ddp::trainer
