#pragma once

#include <c10/core/ScalarType.h>

namespace ddp::trainer {

/// By what gradients are divided on their way from sums to means.
struct GradientDivision {
  double before = 1;          ///< before anything is added up
  double after_shards = 1;    ///< the sums over the ranks that share the parameters
  double after_replicas = 1;  ///< the sums over the replicas of these
  bool operator==(const GradientDivision&) const = default;
};

/// As Python's FSDP2 divides: sums of float32 and bfloat16 after each reduction. What has less range is
/// divided by about the square root of the number of ranks before, and by the rest at the end.
[[nodiscard]] GradientDivision gradient_division(int shards, int replicas, c10::ScalarType reduced);

}  // namespace ddp::trainer
