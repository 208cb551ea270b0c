#pragma once

#include "ddp/trainer/dataset.hpp"

namespace ddp::trainer {

/// MNIST and its relatives: the four idx files, plain or gzipped, in the folder that the option root names.
[[nodiscard]] std::unique_ptr<Dataset> make_mnist(const Component& source, Split split, std::uint64_t seed);

}  // namespace ddp::trainer
