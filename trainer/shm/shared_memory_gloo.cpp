#include "trainer/shm/shared_memory_gloo.hpp"

#include <ATen/ATen.h>

#include <functional>
#include <utility>

#include "trainer/shm/shared_gather.hpp"
#include "trainer/shm/shared_reduce_scatter.hpp"
#include "trainer/shm/shared_sum.hpp"

namespace ddp::trainer {
namespace {

std::optional<SharedReduction> reduction_of(const c10d::ReduceOp& operation) {
  switch (operation.op_) {
    case c10d::ReduceOp::SUM:
      return SharedReduction::sum;
    case c10d::ReduceOp::AVG:
      return SharedReduction::average;
    default:
      return std::nullopt;
  }
}

/// Null where it has to be Gloo's.
std::optional<SharedReduction> reduction_in_memory(at::ScalarType type, const c10d::ReduceOp& operation) {
  const auto reduction = reduction_of(operation);
  return reduction && has_bits_of_gloo(type, *reduction) ? reduction : std::nullopt;
}

bool is_contiguous_on_cpu(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.is_contiguous();
}

/// Whether `all` has what `part` has, once for each rank.
bool has_parts(const at::Tensor& all, const at::Tensor& part, int ranks) {
  return is_contiguous_on_cpu(all) && is_contiguous_on_cpu(part) && all.scalar_type() == part.scalar_type() &&
         all.numel() == part.numel() * ranks;
}

/// Whether they share memory, and more than the place of `part` as the part of rank `rank` of `all`.
bool overlap_elsewhere(const at::Tensor& all, const at::Tensor& part, int rank) {
  const auto* const first = static_cast<const std::byte*>(all.const_data_ptr());
  const auto* const begin = static_cast<const std::byte*>(part.const_data_ptr());
  if (begin == first + static_cast<std::size_t>(rank) * part.nbytes()) return false;
  const std::less<> before;
  return before(begin, first + all.nbytes()) && before(first, begin + part.nbytes());
}

c10::intrusive_ptr<c10d::Work> completed(const std::vector<at::Tensor>& tensors) {
  const auto type = c10::ListType::create(c10::TensorType::get());
  const auto done = c10::make_intrusive<c10::ivalue::Future>(type);
  done->markCompleted(c10::IValue(tensors));
  return c10d::Work::create_from_future(done);
}

}  // namespace

void SharedMemoryGloo::share_memory(SharedSlots slots) {
  slots.begin(getOptions()->timeout);
  slots_.emplace(std::move(slots));
}

bool SharedMemoryGloo::adds_up(const std::vector<at::Tensor>& tensors,
                               const c10d::AllreduceOptions& options) const {
  if (!slots_ || tensors.size() != 1) return false;
  const at::Tensor& tensor = tensors.front();
  return tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.is_non_overlapping_and_dense() &&
         reduction_in_memory(tensor.scalar_type(), options.reduceOp);
}

c10::intrusive_ptr<c10d::Work> SharedMemoryGloo::allreduce(std::vector<at::Tensor>& tensors,
                                                           const c10d::AllreduceOptions& options) {
  if (!adds_up(tensors, options)) return ProcessGroupGloo::allreduce(tensors, options);
  SharedSum(*slots_).add_up(tensors.front(), reduction_of(options.reduceOp).value());
  return completed(tensors);
}

c10::intrusive_ptr<c10d::Work> SharedMemoryGloo::_allgather_base(at::Tensor& output, at::Tensor& input,
                                                                 const c10d::AllgatherOptions& options) {
  if (!slots_ || !has_parts(output, input, getSize())) {
    return ProcessGroupGloo::_allgather_base(output, input, options);
  }
  const bool apart = !overlap_elsewhere(output, input, getRank());
  SharedGather(*slots_).gather(output, apart ? input : input.clone());
  return completed({output});
}

c10::intrusive_ptr<c10d::Work> SharedMemoryGloo::_reduce_scatter_base(
    at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) {
  const auto reduction = reduction_in_memory(input.scalar_type(), options.reduceOp);
  if (!slots_ || !reduction || !has_parts(input, output, getSize())) {
    return ProcessGroupGloo::_reduce_scatter_base(output, input, options);
  }
  const bool apart = !overlap_elsewhere(input, output, getRank());
  SharedReduceScatter(*slots_).reduce(output, apart ? input : input.clone(), *reduction);
  return completed({output});
}

c10::intrusive_ptr<SharedMemoryGloo> find_shared_memory(c10d::ProcessGroup& group) {
  const auto backend = group.getBackend(c10::DeviceType::CPU);
  auto* const gloo = dynamic_cast<SharedMemoryGloo*>(backend.get());
  if (gloo == nullptr || !gloo->shares_memory()) return {};
  return c10::intrusive_ptr<SharedMemoryGloo>::reclaim_copy(gloo);
}

}  // namespace ddp::trainer
