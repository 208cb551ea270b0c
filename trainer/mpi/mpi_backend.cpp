#include "trainer/mpi/mpi_backend.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ddp::trainer {
namespace {

int place_in(const MpiGroup& group) {
  return static_cast<int>(std::ranges::find(group.members, group.rank) - group.members.begin());
}

void require_dense(const at::Tensor& tensor) {
  TORCH_CHECK(tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.is_non_overlapping_and_dense(),
              "the backend mpi takes dense tensors without gaps on the CPU, not ", tensor.toString(),
              " of sizes ", tensor.sizes(), "; use rendezvous.backend: gloo");
}

const at::Tensor& only_one(const std::vector<at::Tensor>& tensors) {
  TORCH_CHECK(tensors.size() == 1, "the backend mpi takes one tensor for each call, not ", tensors.size());
  require_dense(tensors.front());
  return tensors.front();
}

MPI_Count bytes_of(const at::Tensor& tensor) {
  return static_cast<MPI_Count>(tensor.nbytes());
}

/// MPI takes a part of its output as input only under this name.
const void* input_of(const at::Tensor& input, const at::Tensor& output, int rank) {
  const auto* const own = static_cast<const std::byte*>(output.const_data_ptr()) +
                          static_cast<std::size_t>(rank) * input.nbytes();
  return input.const_data_ptr() == own ? MPI_IN_PLACE : input.const_data_ptr();
}

}  // namespace

MpiBackend::MpiBackend(const MpiGroup& group)
    : Backend(place_in(group), static_cast<int>(group.members.size())),
      process_(MpiProcess::start_or_get(group)),
      timeout_(group.timeout),
      communicator_(process_.add_communicator(group.members, group.timeout)) {}

MpiBackend::~MpiBackend() {
  shutdown();
}

void MpiBackend::shutdown() {
  if (std::exchange(is_open_, false)) process_.leave_communicator(communicator_, timeout_);
}

c10::intrusive_ptr<c10d::Work> MpiBackend::enqueue(const char* name, c10d::OpType type,
                                                   std::vector<at::Tensor> outputs, Post post,
                                                   std::function<void()> after) {
  auto work = c10::make_intrusive<MpiWork>(rank_, type, std::move(outputs));
  process_.thread().enqueue(
      {.name = name, .work = work, .post = std::move(post), .after = std::move(after), .timeout = timeout_});
  return work;
}

c10::intrusive_ptr<c10d::Work> MpiBackend::allreduce(std::vector<at::Tensor>& tensors,
                                                     const c10d::AllreduceOptions& options) {
  const at::Tensor& tensor = only_one(tensors);
  const auto reduction = reduction_of(tensor.scalar_type(), options.reduceOp, process_.sums());
  return enqueue("MPI_Iallreduce", c10d::OpType::ALLREDUCE, tensors,
                 [tensor, reduction, group = communicator_](MPI_Request* request) {
                   return mpi_calls().iallreduce(MPI_IN_PLACE, tensor.mutable_data_ptr(), tensor.numel(),
                                                 reduction.type, reduction.operation, group, request);
                 });
}

c10::intrusive_ptr<c10d::Work> MpiBackend::reduce(std::vector<at::Tensor>& tensors,
                                                  const c10d::ReduceOptions& options) {
  const at::Tensor& tensor = only_one(tensors);
  const auto reduction = reduction_of(tensor.scalar_type(), options.reduceOp, process_.sums());
  const auto root = static_cast<int>(options.rootRank);
  const bool is_root = root == rank_;
  return enqueue("MPI_Ireduce", c10d::OpType::REDUCE, tensors,
                 [tensor, reduction, root, is_root, group = communicator_](MPI_Request* request) {
                   void* const values = tensor.mutable_data_ptr();
                   return mpi_calls().ireduce(is_root ? MPI_IN_PLACE : values, is_root ? values : nullptr,
                                              tensor.numel(), reduction.type, reduction.operation, root,
                                              group, request);
                 });
}

c10::intrusive_ptr<c10d::Work> MpiBackend::broadcast(std::vector<at::Tensor>& tensors,
                                                     const c10d::BroadcastOptions& options) {
  const at::Tensor& tensor = only_one(tensors);
  const auto root = static_cast<int>(options.rootRank);
  return enqueue("MPI_Ibcast", c10d::OpType::BROADCAST, tensors,
                 [tensor, root, group = communicator_](MPI_Request* request) {
                   return mpi_calls().ibcast(tensor.mutable_data_ptr(), bytes_of(tensor), MPI_BYTE, root,
                                             group, request);
                 });
}

c10::intrusive_ptr<c10d::Work> MpiBackend::allgather(std::vector<std::vector<at::Tensor>>& outputs,
                                                     std::vector<at::Tensor>& inputs,
                                                     const c10d::AllgatherOptions& /*options*/) {
  const at::Tensor mine = only_one(inputs).contiguous();
  TORCH_CHECK(outputs.size() == 1 && static_cast<int>(outputs.front().size()) == size_,
              "the backend mpi gathers into one list of ", size_, " tensors");
  const std::vector<at::Tensor>& rows = outputs.front();
  for (const at::Tensor& row : rows)
    TORCH_CHECK(row.is_contiguous() && row.sizes() == mine.sizes() && row.scalar_type() == mine.scalar_type(),
                "the backend mpi gathers contiguous tensors of one type and size");
  const at::Tensor all = at::empty({size_, mine.numel()}, mine.options());
  return enqueue(
      "MPI_Iallgather", c10d::OpType::ALLGATHER, rows,
      [mine, all, group = communicator_](MPI_Request* request) {
        const MPI_Count bytes = bytes_of(mine);
        return mpi_calls().iallgather(mine.const_data_ptr(), bytes, MPI_BYTE, all.mutable_data_ptr(), bytes,
                                      MPI_BYTE, group, request);
      },
      [all, rows] {  // in MPI's thread, which shall not start the threads of a large copy_()
        const auto* from = static_cast<const std::byte*>(all.const_data_ptr());
        for (const at::Tensor& row : rows) {
          if (row.nbytes() > 0) std::memcpy(row.mutable_data_ptr(), from, row.nbytes());
          from += row.nbytes();
        }
      });
}

c10::intrusive_ptr<c10d::Work> MpiBackend::_allgather_base(at::Tensor& output, at::Tensor& input,
                                                           const c10d::AllgatherOptions& /*options*/) {
  require_dense(output);
  require_dense(input);
  TORCH_CHECK(output.nbytes() == static_cast<std::size_t>(size_) * input.nbytes(), "the backend mpi gathers ",
              size_, " times ", input.numel(), " elements, not ", output.numel());
  return enqueue("MPI_Iallgather", c10d::OpType::_ALLGATHER_BASE, {output},
                 [output, input, rank = rank_, group = communicator_](MPI_Request* request) {
                   const MPI_Count bytes = bytes_of(input);
                   return mpi_calls().iallgather(input_of(input, output, rank), bytes, MPI_BYTE,
                                                 output.mutable_data_ptr(), bytes, MPI_BYTE, group, request);
                 });
}

c10::intrusive_ptr<c10d::Work> MpiBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                                const c10d::ReduceScatterOptions& options) {
  require_dense(output);
  require_dense(input);
  TORCH_CHECK(input.numel() == size_ * output.numel() && input.scalar_type() == output.scalar_type() &&
                  !input.is_alias_of(output),
              "the backend mpi scatters ", size_, " times ", output.numel(), " elements, not ", input.numel(),
              ", of one type, to other memory");
  const auto reduction = reduction_of(input.scalar_type(), options.reduceOp, process_.sums());
  return enqueue("MPI_Ireduce_scatter_block", c10d::OpType::_REDUCE_SCATTER_BASE, {output},
                 [output, input, reduction, group = communicator_](MPI_Request* request) {
                   return mpi_calls().ireduce_scatter_block(input.const_data_ptr(), output.mutable_data_ptr(),
                                                            output.numel(), reduction.type,
                                                            reduction.operation, group, request);
                 });
}

c10::intrusive_ptr<c10d::Work> MpiBackend::barrier(const c10d::BarrierOptions& /*options*/) {
  return enqueue("MPI_Ibarrier", c10d::OpType::BARRIER, {}, [group = communicator_](MPI_Request* request) {
    return mpi_calls().ibarrier(group, request);
  });
}

c10::intrusive_ptr<c10d::Work> MpiBackend::send(std::vector<at::Tensor>& tensors, int to, int tag) {
  const at::Tensor& tensor = only_one(tensors);
  return enqueue("MPI_Isend", c10d::OpType::SEND, tensors,
                 [tensor, to, tag, group = communicator_](MPI_Request* request) {
                   return mpi_calls().isend(tensor.const_data_ptr(), bytes_of(tensor), MPI_BYTE, to, tag,
                                            group, request);
                 });
}

c10::intrusive_ptr<c10d::Work> MpiBackend::recv(std::vector<at::Tensor>& tensors, int from, int tag) {
  const at::Tensor& tensor = only_one(tensors);
  return enqueue("MPI_Irecv", c10d::OpType::RECV, tensors,
                 [tensor, from, tag, group = communicator_](MPI_Request* request) {
                   return mpi_calls().irecv(tensor.mutable_data_ptr(), bytes_of(tensor), MPI_BYTE, from, tag,
                                            group, request);
                 });
}

}  // namespace ddp::trainer
