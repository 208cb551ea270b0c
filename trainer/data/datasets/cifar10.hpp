#pragma once

#include "ddp/trainer/dataset.hpp"

namespace ddp::trainer {

/// CIFAR-10 in its binary version: files of records, a byte for the class and 3 x 32 x 32 for the image.
[[nodiscard]] std::unique_ptr<Dataset> make_cifar10(const Component& source, Split split, std::uint64_t seed);

}  // namespace ddp::trainer
