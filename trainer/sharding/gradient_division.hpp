#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

namespace ddp::trainer {

/// What a collective makes of the values of its ranks.
enum class Reduction { sum, mean };

/// By what gradients are divided on their way from sums to means.
struct GradientDivision {
  double before = 1;                     ///< before anything is added up
  double after_shards = 1;               ///< the sums over the ranks that share the parameters
  double after_replicas = 1;             ///< the sums over the replicas of these
  Reduction reduction = Reduction::sum;  ///< of all collectives
  bool operator==(const GradientDivision&) const = default;
};

/// As Python's FSDP2 divides. Of float32 and bfloat16 it asks the backend for means: NCCL makes them, on
/// CUDA, and Gloo divides the sum after each reduction, as is done here. What has less range is divided by
/// about the square root of the number of ranks before, and by the rest at the end.
[[nodiscard]] GradientDivision gradient_division(int shards, int replicas, c10::ScalarType reduced,
                                                 c10::DeviceType device);

}  // namespace ddp::trainer
