#include "trainer/data/datasets/mnist_files.hpp"
#include "trainer/data/images/image_options.hpp"

namespace ddp::trainer {

ComponentSchema fashion_mnist_schema() {
  OptionSchema root = {
      .key = "root",
      .default_value = std::string("/usr/share/datasets/fashion-mnist"),
      .doc =
          "folder of the four idx files, plain or gzipped; images are read from them when they are wanted, "
          "and what the system keeps of them all ranks of a host share; of gzipped ones from a copy in "
          "~/.cache/ddpsubmit/unpacked. The default is that of Debian's package dataset-fashion-mnist. Put a "
          "new file in the place of a plain one, do not change it while a run uses it",
      .text = OptionSchema::Text::path};
  return {
      .name = "fashion_mnist",
      .doc = "60,000 training and 10,000 test images of clothing, 1 x 28 x 28, 10 classes",
      .options = with_image_options({std::move(root)}, {0.2860}, {0.3530}),
      .conflict = [](const Component& source) { return image_conflict(source, 1); },
      .sample_shape = [](const Component&) -> std::optional<SampleShape> {
        return SampleShape{{1, 28, 28}, 10};
      },
      .missing = find_missing_mnist,
  };
}

}  // namespace ddp::trainer
