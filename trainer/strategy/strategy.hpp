#pragma once

#include <torch/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ddp/trainer/dataset.hpp"
#include "ddp/trainer/model.hpp"
#include "ddp/trainer/process_group.hpp"
#include "trainer/checkpoint/tensor_files.hpp"
#include "trainer/checkpoint/tensor_rows.hpp"
#include "trainer/checkpoint/training_state.hpp"
#include "trainer/config/train_config.hpp"
#include "trainer/distributed/gradient_sync.hpp"
#include "trainer/optim/optimizer.hpp"

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

using MakeOptimizer = std::function<std::unique_ptr<Optimizer>(NamedTensors)>;

/// Each global batch falls into `count` shards of equal size; a rank works on `mine` of them, from `first`
/// on.
struct Shards {
  int count = 1;
  int first = 0;
  int mine = 1;
};

/// What a rank has between steps.
enum class Held {
  all,
  share,  ///< the rest is with other ranks
};

/// How the ranks share the work of a step, and the parameters. Every strategy leaves the same parameters for
/// the same shards, to float rounding. Used by one thread. All ranks call the functions that are not const in
/// the same order, but for take_own_time(): each is a collective of some strategy.
class Strategy {
 public:
  /// `model` keeps its modules and tensors from now on; only their values change.
  explicit Strategy(std::shared_ptr<Model> model);
  virtual ~Strategy() = default;

  [[nodiscard]] virtual Shards shards() const = 0;

  /// A pass of one batch for each of this rank's shards, on the devices of the strategy's choice. After one
  /// with GradientSync::now the parameters have, on ranks that update, the mean gradient over all shards of
  /// the passes since the step began.
  [[nodiscard]] virtual std::vector<PassResult> forward_backward(std::span<const Batch> batches,
                                                                 const LocalPass& pass,
                                                                 GradientSync sync) = 0;

  /// The forward of an evaluation, of one batch. A collective only where ranks hold a share of the
  /// parameters: then every rank has to call it as often as the others.
  [[nodiscard]] virtual torch::Tensor evaluate(const torch::Tensor& input) { return model_->forward(input); }

  /// Of the parameters: a share is some rows of each.
  [[nodiscard]] virtual Held parameters_held() const { return Held::all; }

  /// Of the state of the optimizer.
  [[nodiscard]] virtual Held optimizer_state_held() const { return Held::all; }

  /// What the optimizer of this rank updates, each once, under the names of the model.
  [[nodiscard]] virtual NamedTensors parameters() const;

  /// Makes the optimizer of a training: `make` makes one for any parameters.
  [[nodiscard]] virtual std::unique_ptr<Optimizer> make_optimizer(const MakeOptimizer& make) {
    return make(parameters());
  }

  /// Whether this rank's optimizer is to follow the gradients.
  [[nodiscard]] virtual bool updates() const { return true; }

  /// Scales `gradients`, all that parameters() have, down to a 2-norm of `max_norm` at most; returns the norm
  /// before. Called by ranks that update.
  virtual torch::Tensor clip_grad_norm(const std::vector<torch::Tensor>& gradients, double max_norm);

  /// The first passes of a training that add up gradients in another order than later ones: see
  /// TrainStep::settle_buckets().
  [[nodiscard]] virtual int first_passes() const { return 0; }

  /// After `step`: compares what the ranks should have the same, if it is time for that. Throws
  /// ParametersDiverged.
  virtual void verify(std::int64_t step);

  /// How long a step waits for other ranks after its own work is done, in the mean over steps that were
  /// timed; nullopt where the strategy does not measure it. Where a step has collectives all along, it is the
  /// time in those that nothing is computed beside.
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

  /// How many ranks, from rank 0 on, write a checkpoint, each its own_state().
  [[nodiscard]] virtual int checkpoint_writers() const { return 1; }

  /// What this rank writes to a checkpoint, after share_model(): parameters, then buffers, and the state of
  /// `optimizer`, which this strategy has made. The writers together have each row once. The tensors may be
  /// shared with the model.
  [[nodiscard]] virtual StateRows own_state(const Optimizer& optimizer) const;

  /// Takes what counts for this rank of the tensor of that name in model_state(); `whole` has its sizes.
  virtual void load_tensor(const std::string& name, const torch::Tensor& whole);

  /// Takes the state of a checkpoint. Throws std::invalid_argument unless it holds exactly the names and
  /// sizes of the model.
  void load_model_state(const NamedTensors& state);

  /// The same from the files of a checkpoint, of which this rank reads only what counts for it. Throws what
  /// TensorFiles throws, too.
  void read_model_state(const TensorFiles& state);

  [[nodiscard]] Model& model() const { return *model_; }

 protected:
  /// Takes what counts for this rank of the tensor of that name, whose shape in `files` is that of the model.
  virtual void read_tensor(const std::string& name, const TensorFiles& files);

  [[nodiscard]] const std::shared_ptr<Model>& shared_model() const { return model_; }

  /// The model's own parameter or buffer of that name. Throws std::out_of_range when there is none.
  [[nodiscard]] const torch::Tensor& tensor_named(const std::string& name) const { return tensors_.at(name); }

 private:
  std::shared_ptr<Model> model_;
  std::unordered_map<std::string, torch::Tensor> tensors_;  // of the model, by name
};

/// What a strategy works with; all of it outlives the strategy.
struct StrategyParts {
  const TrainConfig& config;
  ProcessGroup& group;
  std::shared_ptr<Model> model;                          ///< on `device`
  std::function<std::shared_ptr<Model>()> make_replica;  ///< another model of the same kind, on the CPU
  at::Device device = at::kCPU;
  int ranks_per_node = 1;
};

/// The strategy that `parts.config.strategy` names. A collective.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const StrategyParts& parts);

}  // namespace ddp::trainer
