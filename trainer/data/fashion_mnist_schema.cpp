#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

ComponentSchema fashion_mnist_schema() {
  return {
      .name = "fashion_mnist",
      .doc = "60,000 training and 10,000 test images of clothing, 1 x 28 x 28, 10 classes",
      .options =
          {
              {.key = "root",
               .default_value = std::string("/usr/share/datasets/fashion-mnist"),
               .doc = "folder of the four idx or idx.gz files; the default is that of Debian's package "
                      "dataset-fashion-mnist",
               .text = OptionSchema::Text::path},
              {.key = "normalize",
               .default_value = true,
               .doc = "subtract the mean 0.2860 and divide by 0.3530"},
          },
      .sample_shape =
          [](const Component&) {
            return SampleShape{{1, 28, 28}, 10};
          },
  };
}

}  // namespace ddp::trainer
