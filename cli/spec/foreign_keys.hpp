#pragma once

#include "jobenv/config/foreign_key.hpp"

namespace ddp::cli {

/// Names that sbatch, torchrun and similar tools give to keys, with the key to use.
[[nodiscard]] ForeignKeys foreign_keys();

}  // namespace ddp::cli
