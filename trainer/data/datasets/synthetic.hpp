#pragma once

#include "ddp/trainer/dataset.hpp"

namespace ddp::trainer {

/// Made-up samples that can be learned: one random centre for each class, and noise around it. Inputs [count,
/// features]. The same values on every machine: only integer arithmetic and exact conversions make them. Both
/// splits have the same centres.
[[nodiscard]] std::unique_ptr<Dataset> make_synthetic(const Component& source, Split split,
                                                      std::uint64_t seed);

}  // namespace ddp::trainer
