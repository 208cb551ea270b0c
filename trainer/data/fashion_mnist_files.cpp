#include "trainer/data/fashion_mnist_files.hpp"

namespace ddp::trainer {

using std::filesystem::path;

std::optional<path> find_fashion_mnist_file(const path& root, const std::string& name) {
  std::error_code unreadable;
  for (path file : {root / name, root / (name + ".gz")}) {
    if (std::filesystem::exists(file, unreadable)) return file;
  }
  return std::nullopt;
}

std::string no_fashion_mnist_file(const path& root, const std::string& name) {
  return "Fashion-MNIST is not in '" + root.string() + "': there is neither " + name + " nor " + name + ".gz";
}

}  // namespace ddp::trainer
