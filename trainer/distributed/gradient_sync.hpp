#pragma once

namespace ddp::trainer {

/// Whether a pass ends with the gradients of all shards averaged, or adds to what a later one averages.
enum class GradientSync { now, later };

}  // namespace ddp::trainer
