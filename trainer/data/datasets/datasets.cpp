#include "trainer/data/datasets/datasets.hpp"

#include <array>
#include <stdexcept>

#include "trainer/data/datasets/cifar10.hpp"
#include "trainer/data/datasets/image_folder.hpp"
#include "trainer/data/datasets/mnist.hpp"
#include "trainer/data/datasets/synthetic.hpp"
#include "trainer/data/datasets/tensor_file.hpp"

namespace ddp::trainer {
namespace {

struct DatasetRow {
  std::string_view name;
  std::unique_ptr<Dataset> (*make)(const Component&, Split, std::uint64_t);
};

constexpr std::array kDatasets{
    DatasetRow{"cifar10", make_cifar10},           DatasetRow{"fashion_mnist", make_mnist},
    DatasetRow{"image_folder", make_image_folder}, DatasetRow{"mnist", make_mnist},
    DatasetRow{"synthetic", make_synthetic},       DatasetRow{"tensor_file", make_tensor_file},
};

}  // namespace

std::unique_ptr<Dataset> make_dataset(const Component& source, Split split, std::uint64_t seed,
                                      std::span<const DatasetKind> own) {
  for (const DatasetKind& kind : own) {
    if (kind.schema.name != source.name) continue;
    if (auto dataset = kind.make(source, split, seed)) return dataset;
    throw std::runtime_error("make() of the dataset '" + source.name + "' returned nullptr");
  }
  for (const DatasetRow& row : kDatasets) {
    if (row.name == source.name) return row.make(source, split, seed);
  }
  throw std::logic_error("dataset '" + source.name + "' has a schema but no factory");
}

}  // namespace ddp::trainer
