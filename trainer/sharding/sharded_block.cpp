#include "trainer/sharding/sharded_block.hpp"

#include <ATen/ATen.h>
#include <c10/core/StreamGuard.h>

#include <algorithm>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <utility>

namespace ddp::trainer {
namespace {

c10d::ReduceOp reduce_op_of(const GradientDivision& division) {
  return division.reduction == Reduction::mean ? c10d::ReduceOp::AVG : c10d::ReduceOp::SUM;
}

}  // namespace

ShardedBlock::ShardedBlock(const BlockParameters& block, BlockContext& context)
    : context_(context),
      division_(gradient_division(context.groups.shards.size(), context.groups.replica_count(),
                                  context.options.reduce_dtype, context.device.type())) {
  parameters_.reserve(block.parameters.size());
  for (const auto& [name, parameter] : block.parameters) {
    const ShardedParameter& sharded =
        parameters_.emplace_back(name, parameter, context.groups.shards, context.options.param_dtype);
    padded_elements_.push_back(sharded.padded_elements());
    elements_ += sharded.padded_elements();
    const std::int64_t whole = sharded.gathered.numel();
    bytes_ += std::max(aligned_bytes(whole, context.options.param_dtype, context.device),
                       aligned_bytes(whole, context.options.reduce_dtype, context.device));
  }
}

ShardedBlock::~ShardedBlock() {
  for (ShardedParameter& parameter : parameters_) parameter.detach();
}

void ShardedBlock::await(c10::intrusive_ptr<c10d::Work>& work) {
  if (!work) return;
  const WaitingTime::Wait wait(context_.waiting);
  work->wait();
  work.reset();
}

void ShardedBlock::begin_unshard() {
  if (is_unsharded_ || gathering_.defined() || parameters_.empty()) return;
  const at::NoGradGuard no_grad;
  ProcessGroup& shards = context_.groups.shards;
  torch::Tensor own = copy_in();
  if (const auto& streams = context_.streams) queue_after(streams->gather, streams->copy_in);
  if (shards.size() == 1) return;
  const c10::OptionalStreamGuard guard(pick_stream(context_.streams, &SideStreams::gather));
  const WaitingTime::Wait wait(context_.waiting);
  c10d::AllgatherOptions options;
  options.asyncOp = !context_.streams;
  gather_work_ = shards.c10d_group()->_allgather_base(gather_output_, own, options);
}

/// The own rows to their place in the message.
torch::Tensor ShardedBlock::copy_in() {
  const ProcessGroup& shards = context_.groups.shards;
  const c10::OptionalStreamGuard guard(pick_stream(context_.streams, &SideStreams::copy_in));
  gathering_ = context_.memory.take(bytes_);
  gather_output_ = view_as(gathering_, 0, elements_ * shards.size(), context_.options.param_dtype);
  torch::Tensor own = gather_output_.narrow(0, elements_ * shards.rank(), elements_);
  std::vector<torch::Tensor> rows;
  for (const ShardedParameter& parameter : parameters_) rows.push_back(parameter.padded);
  at::_foreach_copy_(own.split_with_sizes(padded_elements_), rows);  // converts to param_dtype, too
  return own;
}

void ShardedBlock::unshard() {
  if (is_unsharded_ || parameters_.empty()) return;
  begin_unshard();
  gather();
  is_unsharded_ = true;
}

void ShardedBlock::await_gather() {
  await(gather_work_);
  if (context_.streams && gathering_.defined())
    queue_after(current_stream(context_.device), context_.streams->gather);
}

/// Waits for the all-gather, and copies what came into the parameters: each has its rows in one piece.
void ShardedBlock::gather() {
  await_gather();
  const at::NoGradGuard no_grad;
  const int ranks = context_.groups.shards.size();
  values_ = context_.memory.take(bytes_);
  auto* at = values_.mutable_data_ptr<std::uint8_t>();
  std::vector<torch::Tensor> out;
  for (ShardedParameter& parameter : parameters_) {
    parameter.attach(at);
    at += aligned_bytes(parameter.gathered.numel(), context_.options.param_dtype, context_.device);
    out.push_back(parameter.gathered.view({ranks, parameter.padded_elements()}));
  }
  at::split_with_sizes_copy_out(out, gather_output_.view({ranks, elements_}), padded_elements_, 1);
  gather_output_.reset();
  context_.memory.give_back(gathering_);
}

void ShardedBlock::reshard() {
  await_gather();
  gather_output_.reset();
  context_.memory.give_back(gathering_);
  if (!std::exchange(is_unsharded_, false)) return;
  for (ShardedParameter& parameter : parameters_) parameter.detach();
  context_.memory.give_back(values_);
}

void ShardedBlock::keep_gradients() {
  const at::NoGradGuard no_grad;
  const at::ScalarType type = context_.options.reduce_dtype;
  for (ShardedParameter& sharded : parameters_) {
    torch::Tensor& gradient = sharded.parameter.mutable_grad();
    if (!gradient.defined() || (gradient.scalar_type() == type && !sharded.unreduced_gradient.defined()))
      continue;
    if (sharded.unreduced_gradient.defined())
      sharded.unreduced_gradient.add_(gradient);
    else
      sharded.unreduced_gradient = gradient.to(type);
    gradient.reset();
  }
}

std::vector<torch::Tensor> ShardedBlock::take_gradients() {
  reduced_.clear();
  std::vector<torch::Tensor> gradients;
  for (ShardedParameter& sharded : parameters_) {
    torch::Tensor gradient = std::exchange(sharded.unreduced_gradient, torch::Tensor());
    torch::Tensor& newest = sharded.parameter.mutable_grad();
    if (gradient.defined() && newest.defined()) gradient.add_(newest);
    if (!gradient.defined()) gradient = newest;
    newest.reset();
    if (!gradient.defined()) continue;
    gradients.push_back(std::move(gradient));
    reduced_.push_back(&sharded);
  }
  return gradients;
}

void ShardedBlock::begin_reduce() {
  const at::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients = take_gradients();
  reshard();  // the reduction can use the memory
  if (gradients.empty()) return;
  const int ranks = context_.groups.shards.size();
  std::int64_t elements = 0;
  for (const ShardedParameter* sharded : reduced_) elements += sharded->padded_elements();
  const at::ScalarType type = context_.options.reduce_dtype;
  reducing_ = context_.memory.take(bytes_);
  torch::Tensor input = view_as(reducing_, 0, elements * ranks, type);
  torch::Tensor by_rank = input.view({ranks, elements});
  at::_chunk_cat_out(by_rank, gradients, 0, ranks);
  gradients.clear();
  if (const auto& streams = context_.streams) queue_after(streams->reduce, current_stream(context_.device));
  const c10::OptionalStreamGuard guard(pick_stream(context_.streams, &SideStreams::reduce));
  reduce_output_ = at::empty({elements}, input.options());
  reduce(input);
  if (context_.streams) add_means();
}

void ShardedBlock::reduce(torch::Tensor& input) {
  if (division_.before != 1) input.div_(division_.before);
  ProcessGroup& shards = context_.groups.shards;
  if (shards.size() == 1) {
    reduce_output_.copy_(input);
    return;
  }
  const WaitingTime::Wait wait(context_.waiting);
  c10d::ReduceScatterOptions options;
  options.reduceOp = reduce_op_of(division_);
  options.asyncOp = !context_.streams;
  reduce_work_ = shards.c10d_group()->_reduce_scatter_base(reduce_output_, input, options);
}

void ShardedBlock::finish_reduce() {
  if (!reducing_.defined()) return;
  const c10::OptionalStreamGuard guard(pick_stream(context_.streams, &SideStreams::reduce));
  await(reduce_work_);
  context_.memory.give_back(reducing_);
  if (reduce_output_.defined()) add_means();
}

/// To the gradients of the rows; of the sums over the ranks that share the parameters.
void ShardedBlock::add_means() {
  const at::NoGradGuard no_grad;
  if (division_.after_shards != 1) reduce_output_.div_(division_.after_shards);
  const bool replicated = context_.groups.replicas != nullptr;
  const c10::OptionalStreamGuard guard(replicated ? pick_stream(context_.streams, &SideStreams::all_reduce)
                                                  : std::nullopt);
  if (replicated) reduce_over_replicas();
  if (division_.after_replicas != 1) reduce_output_.div_(division_.after_replicas);
  const torch::Tensor means =
      std::exchange(reduce_output_, torch::Tensor()).to(parameters_.front().padded.scalar_type());
  std::int64_t offset = 0;
  for (ShardedParameter* sharded : reduced_) {
    const torch::Tensor& rows = sharded->rows;
    const torch::Tensor mean = means.as_strided(rows.sizes(), rows.strides(), offset);
    if (rows.grad().defined())
      rows.mutable_grad().add_(mean);
    else
      rows.mutable_grad() = mean;
    offset += sharded->padded_elements();
  }
}

/// In place.
void ShardedBlock::reduce_over_replicas() {
  if (const auto& streams = context_.streams) {
    queue_after(streams->all_reduce, streams->reduce);
    reduce_output_.record_stream(streams->all_reduce);  // the memory is of the other stream
  }
  const WaitingTime::Wait wait(context_.waiting);
  c10d::AllreduceOptions options;
  options.reduceOp = reduce_op_of(division_);
  options.asyncOp = !context_.streams;
  std::vector<torch::Tensor> tensors = {reduce_output_};
  if (const auto work = context_.groups.replicas->c10d_group()->allreduce(tensors, options)) work->wait();
}

}  // namespace ddp::trainer
