#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// A parameter of a model, of which this rank keeps its own rows. The tensor that the model holds stays the
/// same object; while it is not gathered, its storage is empty.
struct ShardedParameter {
  /// Takes the rows of `parameter` that this rank of `shards` holds, and empties its storage. `gathered_type`
  /// is what the parameter has from now on when it is gathered; the rows stay float32. Throws
  /// InvalidConfiguration, with `name`, for what has no rows, is not of float32, or is not contiguous.
  ShardedParameter(const std::string& name, const torch::Tensor& parameter, const ProcessGroup& shards,
                   at::ScalarType gathered_type);

  /// Lets the parameter have its values at `memory`, which the caller keeps alive until detach().
  void attach(void* memory);
  void detach();

  /// Whether something has given the parameter another storage, as torch::load() does: its values are no
  /// longer those of the rows.
  [[nodiscard]] bool is_replaced() const;

  [[nodiscard]] std::int64_t padded_elements() const { return padded.numel(); }

  torch::Tensor parameter;  ///< the model's own
  /// [ranks * padded_elements()]: the storage of `parameter`, with a version of its own: autograd does not
  /// take what is written here for a change of a saved tensor.
  torch::Tensor gathered;
  torch::Tensor padded;  ///< [padded_elements()]: the rows of this rank, then zeros
  torch::Tensor rows;    ///< a leaf, for the optimizer; a view of `padded`
  /// Of passes whose gradients are reduced later, in the type of the reduction; undefined: there is none.
  torch::Tensor unreduced_gradient;
};

}  // namespace ddp::trainer
