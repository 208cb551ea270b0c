#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include "trainer/mpi/mpi_calls.hpp"

namespace ddp::trainer {

/// Sums of 16-bit floating-point numbers, which MPI has not: each addition is rounded to the type, as Gloo's.
struct SumsOf16Bits {
  MPI_Op half = MPI_OP_NULL;
  MPI_Op bfloat16 = MPI_OP_NULL;

  /// In MPI's thread, after MPI_Init.
  [[nodiscard]] static SumsOf16Bits create();
};

/// How MPI reduces tensors of a type.
struct MpiReduction {
  MPI_Datatype type;
  MPI_Op operation;
};

/// Throws c10::Error that names the type and the operation where MPI has none for both.
[[nodiscard]] MpiReduction reduction_of(at::ScalarType type, const c10d::ReduceOp& operation,
                                        const SumsOf16Bits& sums);

}  // namespace ddp::trainer
