#include "trainer/data/datasets/mnist_files.hpp"
#include "trainer/data/images/image_options.hpp"

namespace ddp::trainer {

ComponentSchema fashion_mnist_schema() {
  OptionSchema root = {
      .key = "root",
      .default_value = std::string("/usr/share/datasets/fashion-mnist"),
      .doc =
          "folder of the four idx files, plain or gzipped; the default is that of Debian's package "
          "dataset-fashion-mnist. Images are read on demand, from gzipped files through a copy in "
          "~/.cache/ddpsubmit/unpacked; all ranks of a host share the page cache. Do not change a plain file "
          "while a run uses it; replace it with a new file",
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
