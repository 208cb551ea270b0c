#include "trainer/mpi/sums.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>

#include "trainer/mpi/mpi_error.hpp"

namespace ddp::trainer {
namespace {

// Below ATen's grain size: this is MPI's thread, which shall not start OpenMP threads of its own.
constexpr MPI_Count kMostAtOnce = 16384;

template <at::ScalarType type>
void add_elements(void* in, void* in_out, MPI_Count* count, MPI_Datatype* /*type*/) {
  const at::NoGradGuard no_grad;
  auto* from = static_cast<std::uint16_t*>(in);
  auto* to = static_cast<std::uint16_t*>(in_out);
  for (MPI_Count done = 0; done < *count; done += kMostAtOnce) {
    const auto elements = std::min(kMostAtOnce, *count - done);
    at::Tensor sum = at::from_blob(to + done, {elements}, type);
    sum.add_(at::from_blob(from + done, {elements}, type));
  }
}

MPI_Datatype mpi_type_of(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return MPI_FLOAT;
    case at::kDouble:
      return MPI_DOUBLE;
    case at::kChar:
      return MPI_INT8_T;
    case at::kByte:
      return MPI_UINT8_T;
    case at::kShort:
      return MPI_INT16_T;
    case at::kInt:
      return MPI_INT32_T;
    case at::kLong:
      return MPI_INT64_T;
    case at::kHalf:
    case at::kBFloat16:
      return MPI_UINT16_T;  // with sums of our own
    default:
      return MPI_DATATYPE_NULL;
  }
}

MPI_Op mpi_operation_of(at::ScalarType type, const c10d::ReduceOp& operation, const SumsOf16Bits& sums) {
  const bool has_16_bits = type == at::kHalf || type == at::kBFloat16;
  if (operation == c10d::ReduceOp::SUM) {
    if (!has_16_bits) return MPI_SUM;
    return type == at::kHalf ? sums.half : sums.bfloat16;
  }
  if (has_16_bits) return MPI_OP_NULL;
  if (operation == c10d::ReduceOp::MAX) return MPI_MAX;
  return operation == c10d::ReduceOp::MIN ? MPI_MIN : MPI_OP_NULL;
}

std::string name_of(const c10d::ReduceOp& operation) {
  switch (operation) {
    case c10d::ReduceOp::SUM:
      return "SUM";
    case c10d::ReduceOp::AVG:
      return "AVG";
    case c10d::ReduceOp::PRODUCT:
      return "PRODUCT";
    case c10d::ReduceOp::MIN:
      return "MIN";
    case c10d::ReduceOp::MAX:
      return "MAX";
    default:
      return "this operation";
  }
}

}  // namespace

SumsOf16Bits SumsOf16Bits::create() {
  constexpr int kCommutes = 1;
  SumsOf16Bits sums;
  const auto& create = mpi_calls().op_create;
  require_success(create(add_elements<at::kHalf>, kCommutes, &sums.half), "MPI_Op_create");
  require_success(create(add_elements<at::kBFloat16>, kCommutes, &sums.bfloat16), "MPI_Op_create");
  return sums;
}

MpiReduction reduction_of(at::ScalarType type, const c10d::ReduceOp& operation, const SumsOf16Bits& sums) {
  const MpiReduction reduction{mpi_type_of(type), mpi_operation_of(type, operation, sums)};
  TORCH_CHECK(reduction.type != MPI_DATATYPE_NULL && reduction.operation != MPI_OP_NULL,
              "the backend mpi cannot reduce tensors of ", type, " by ", name_of(operation),
              ": it has sums of floating-point numbers and integers, and maxima and minima of those "
              "that have not 16 bits; use rendezvous.backend: gloo");
  return reduction;
}

}  // namespace ddp::trainer
