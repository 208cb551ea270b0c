#pragma once

#include "trainer/data/dataset.hpp"

namespace ddp::trainer {

/// Fashion-MNIST from the idx files in the option `root`. Inputs [count, 1, 28, 28] in [0, 1], or with the
/// option `normalize` of mean 0 and deviation 1, equal to torchvision's ToTensor and Normalize((0.2860,),
/// (0.3530,)) bit for bit.
[[nodiscard]] std::unique_ptr<Dataset> make_fashion_mnist(const Component& source, Split split,
                                                          std::uint64_t seed);

}  // namespace ddp::trainer
