#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/shm/shared_slots.hpp"

namespace ddp::trainer {

/// Gathers tensors of all ranks of one host through memory that they share. Each rank copies its own into the
/// memory, and those of the others out of it.
class SharedGather {
 public:
  /// `slots` must outlive it.
  explicit SharedGather(SharedSlots& slots) : slots_(slots) {}

  /// Fills `output` with the `input` of each rank, by rank. Both are contiguous, of the same type, which may
  /// be any, and `output` has the elements of all inputs. `input` may be this rank's part of `output`, and
  /// then is not copied there; it may not share other memory with it. All ranks call it in the same order,
  /// for as many elements of the same type. Errors are those of SharedSlots::run().
  void gather(const at::Tensor& output, const at::Tensor& input);

 private:
  SharedSlots& slots_;
};

}  // namespace ddp::trainer
