#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

inline constexpr const char* kCifar10Hint =
    "unpack https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz, and set train.data.root "
    "to the folder cifar-10-batches-bin";

/// The files of a split, in the order of their samples.
[[nodiscard]] std::vector<std::string> cifar10_files(SplitsRead splits);

/// What to say when `name` is not in `root`.
[[nodiscard]] std::string no_cifar10_file(const std::string& root, const std::string& name);

}  // namespace ddp::trainer
