#include "trainer/data/datasets/cifar10_files.hpp"

namespace ddp::trainer {

std::vector<std::string> cifar10_files(SplitsRead splits) {
  std::vector<std::string> names;
  if (splits != SplitsRead::test) {
    for (int i = 1; i <= 5; ++i) names.push_back("data_batch_" + std::to_string(i) + ".bin");
  }
  if (splits != SplitsRead::train) names.emplace_back("test_batch.bin");
  return names;
}

std::string no_cifar10_file(const std::string& root, const std::string& name) {
  return "CIFAR-10 is not in '" + root + "': there is no " + name;
}

}  // namespace ddp::trainer
