#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <vector>

#include "trainer/sharding/block_parameters.hpp"
#include "trainer/sharding/fully_sharded_options.hpp"
#include "trainer/sharding/gradient_division.hpp"
#include "trainer/sharding/kept_memory.hpp"
#include "trainer/sharding/shard_groups.hpp"
#include "trainer/sharding/sharded_parameter.hpp"
#include "trainer/sharding/side_streams.hpp"
#include "trainer/sharding/waiting_time.hpp"

namespace ddp::trainer {

/// What the blocks of a model use together.
struct BlockContext {
  /// Where ranks share memory, a collective is done when the call returns.
  enum class Collectives { done_at_once, done_beside };

  ShardGroups groups;
  Collectives collectives;
  FullyShardedOptions options;
  at::Device device;                   ///< of all parameters
  std::optional<SideStreams> streams;  ///< on CUDA
  KeptMemory memory;                   ///< on `device`
  WaitingTime waiting = {};
};

/// The parameters of a block, which are gathered in one message, and whose gradients are reduced in one.
/// Every function but reshard() and keep_gradients() is a collective in groups of more than one rank. Used by
/// one thread at a time. The arithmetic is that of Python's FSDP2 (torch/distributed/fsdp/_fully_shard), so
/// that it gives the same bytes.
///
/// On CUDA everything is queued, as there, and the host waits for nothing. "Current" is the stream of the
/// computation, on which all functions are called.
class ShardedBlock {
 public:
  /// `context` must outlive this object.
  ShardedBlock(const BlockParameters& block, BlockContext& context);
  ShardedBlock(const ShardedBlock&) = delete;
  ShardedBlock& operator=(const ShardedBlock&) = delete;
  /// Leaves the parameters without values.
  ~ShardedBlock();

  [[nodiscard]] const std::vector<ShardedParameter>& parameters() const { return parameters_; }

  /// Asks the other ranks for their rows; nothing where that was done already. On CUDA this does not come
  /// after what is queued on the current stream: see FullyShardedModule::forward().
  void begin_unshard();

  /// When it returns, the parameters have their values.
  void unshard();

  /// Takes the values away, and forgets what begin_unshard() has asked for.
  void reshard();

  /// Keeps the gradients that backward has left in the parameters, for a later begin_reduce().
  void keep_gradients();

  /// Takes the gradients of the parameters, and what keep_gradients() has kept, takes the values away, and
  /// asks the other ranks for their part. The means over all ranks come with finish_reduce().
  void begin_reduce();

  /// Adds the mean gradients to those of the rows. Nothing where none is under way. On CUDA begin_reduce()
  /// has queued this already, and only the memory is given back; the current stream has to wait for the
  /// SideStreams before it uses gradients of rows.
  void finish_reduce();

 private:
  void await(c10::intrusive_ptr<c10d::Work>& work);
  void await_gather();
  [[nodiscard]] torch::Tensor copy_in();
  void gather();
  void reduce(torch::Tensor& input);
  void reduce_over_replicas();
  void add_means();
  [[nodiscard]] std::vector<torch::Tensor> take_gradients();

  BlockContext& context_;
  GradientDivision division_;
  std::vector<ShardedParameter> parameters_;
  std::vector<std::int64_t> padded_elements_;  // of each
  std::int64_t elements_ = 0;                  // their sum
  std::int64_t bytes_ = 0;                     // that all of them take, of all ranks, in any of the types
  bool is_unsharded_ = false;
  torch::Tensor values_;         // memory of the parameters
  torch::Tensor gathering_;      // memory of an all-gather under way
  torch::Tensor gather_output_;  // a view of it: [ranks * elements_]
  c10::intrusive_ptr<c10d::Work> gather_work_;
  std::vector<ShardedParameter*> reduced_;  // with a gradient in the reduce-scatter under way
  torch::Tensor reducing_;                  // memory of its input
  torch::Tensor reduce_output_;
  c10::intrusive_ptr<c10d::Work> reduce_work_;
};

}  // namespace ddp::trainer
