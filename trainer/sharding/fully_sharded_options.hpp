#pragma once

#include <c10/core/ScalarType.h>

namespace ddp::trainer {

/// What becomes of the parameters of a block between its forward and its backward.
enum class AfterForward {
  free,  ///< gathered again before backward
  keep,
};

/// Whether the parameters of the next block are gathered while this one computes.
enum class Prefetch { no, yes };

/// As the arguments of Python's fully_shard() and its MixedPrecisionPolicy.
struct FullyShardedOptions {
  AfterForward after_forward = AfterForward::free;
  c10::ScalarType param_dtype = c10::ScalarType::Float;   ///< of gathered parameters and of inputs of blocks
  c10::ScalarType reduce_dtype = c10::ScalarType::Float;  ///< in which gradients are added up
  Prefetch prefetch = Prefetch::no;
};

}  // namespace ddp::trainer
