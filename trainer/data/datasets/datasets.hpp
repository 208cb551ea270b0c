#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "ddp/trainer/components.hpp"

namespace ddp::trainer {

/// The dataset that `source` names, one of ddptrain's or of `own`. What it throws, and what it may draw from,
/// is that of DatasetKind::make.
[[nodiscard]] std::unique_ptr<Dataset> make_dataset(const Component& source, Split split, std::uint64_t seed,
                                                    std::span<const DatasetKind> own = {});

}  // namespace ddp::trainer
