#pragma once

#include <torch/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ddp/trainer/dataset.hpp"
#include "ddp/trainer/model.hpp"
#include "ddp/trainer/process_group.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// What a forward and backward pass of one batch gave.
struct PassResult {
  torch::Tensor loss;                  ///< mean over the batch, of no dimension, detached
  torch::Tensor logits;                ///< [batch, classes], detached
  torch::Tensor targets;               ///< [batch], of the batch, on the device of the pass
  std::chrono::nanoseconds forward{};  ///< until the loss was computed; on CUDA until that was asked for
};

using Forward = std::function<torch::Tensor(const torch::Tensor&)>;

/// One forward and backward pass of a batch through `forward`, which leaves gradients in the parameters.
/// May be called from several threads at once, each with a model of its own.
using LocalPass = std::function<PassResult(const Forward& forward, const Batch& batch)>;

/// Whether a pass ends with the gradients of all shards averaged, or adds to what a later one averages.
enum class GradientSync { now, later };

/// Each global batch falls into `count` shards of equal size; a rank works on `mine` of them, from `first`
/// on.
struct Shards {
  int count = 1;
  int first = 0;
  int mine = 1;
};

/// How the ranks share the work of a step. Every strategy leaves the same parameters for the same shards, to
/// float rounding. Used by one thread; every function that is not const is a collective, but for
/// take_own_time().
class Strategy {
 public:
  virtual ~Strategy() = default;

  [[nodiscard]] virtual Shards shards() const = 0;

  /// A pass of one batch for each of this rank's shards, on the devices of the strategy's choice. After one
  /// with GradientSync::now the parameters of the model hold, on ranks that update, the mean gradient over
  /// all shards of the passes since the step began.
  [[nodiscard]] virtual std::vector<PassResult> forward_backward(std::span<const Batch> batches,
                                                                 const LocalPass& pass,
                                                                 GradientSync sync) = 0;

  /// Whether this rank's optimizer is to follow the gradients.
  [[nodiscard]] virtual bool updates() const { return true; }

  /// How long a step waits for other ranks after its own work is done, in the mean over steps that were
  /// timed; nullopt where the strategy does not measure it.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> exposed_communication() const {
    return std::nullopt;
  }

  /// How long this rank's own passes have taken since the call before, all of them, until its gradients were
  /// there: without what it waited for other ranks. Waits for the device. nullopt where the strategy does not
  /// measure it.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> take_own_time() { return std::nullopt; }

  /// Gives the model of every rank the parameters and buffers that count, those of rank 0, until the next
  /// forward_backward(); before an evaluation or a checkpoint.
  virtual void share_model() = 0;
};

/// What a strategy works with; all of it outlives the strategy.
struct StrategyParts {
  const TrainConfig& config;
  ProcessGroup& group;
  std::shared_ptr<Model> model;                          ///< on `device`
  std::function<std::shared_ptr<Model>()> make_replica;  ///< another model of the same kind, on the CPU
  at::Device device = at::kCPU;
};

/// The strategy that `parts.config.strategy` names. A collective.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const StrategyParts& parts);

}  // namespace ddp::trainer
