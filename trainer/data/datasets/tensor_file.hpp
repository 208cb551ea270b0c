#pragma once

#include "ddp/trainer/dataset.hpp"

namespace ddp::trainer {

/// Samples of a safetensors file, read when they are wanted: bytes, which are treated as images are, or
/// floats as they are.
[[nodiscard]] std::unique_ptr<Dataset> make_tensor_file(const Component& source, Split split,
                                                        std::uint64_t seed);

}  // namespace ddp::trainer
