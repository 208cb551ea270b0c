#include "trainer/data/datasets/mnist_files.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace ddp::trainer {
namespace {

constexpr std::array kFamilies = {
    MnistFamily{"fashion_mnist", "Fashion-MNIST",
                "install Debian's package (apt-get install dataset-fashion-mnist), or set train.data.root to "
                "the folder with the four idx files"},
    MnistFamily{"mnist", "MNIST",
                "set train.data.root to the folder with the four idx files: MNIST/raw as "
                "torchvision's MNIST(download=True) creates it, or a folder with "
                "https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz and the three "
                "files beside it (train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz, "
                "t10k-labels-idx1-ubyte.gz)"},
};

}  // namespace

using std::filesystem::path;

const MnistFamily& find_mnist_family(std::string_view name) {
  const auto* found = std::ranges::find(kFamilies, name, &MnistFamily::name);
  if (found == kFamilies.end()) throw std::logic_error("no dataset of idx files: " + std::string(name));
  return *found;
}

std::optional<path> find_mnist_file(const path& root, const std::string& name) {
  std::error_code unreadable;
  for (path file : {root / name, root / (name + ".gz")}) {
    if (std::filesystem::exists(file, unreadable)) return file;
  }
  return std::nullopt;
}

std::string no_mnist_file(const MnistFamily& family, const path& root, const std::string& name) {
  return std::string(family.title) + " is not in '" + root.string() + "': there is neither " + name +
         " nor " + name + ".gz";
}

std::optional<MissingData> find_missing_mnist(const Component& source, SplitsRead splits) {
  const auto& root = source.get<std::string>("root");
  const MnistFamily& family = find_mnist_family(source.name);
  std::vector<std::string> names;
  if (splits != SplitsRead::test)
    names.insert(names.end(), {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"});
  if (splits != SplitsRead::train)
    names.insert(names.end(), {"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"});
  for (const auto& name : names) {
    if (!find_mnist_file(root, name))
      return MissingData{"root", no_mnist_file(family, root, name), std::string(family.hint)};
  }
  return std::nullopt;
}

}  // namespace ddp::trainer
