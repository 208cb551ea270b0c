#pragma once

#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "ddp/trainer/comm_hook.hpp"
#include "ddp/trainer/process_group.hpp"

namespace torch::nn {
class Module;
}

namespace ddp::trainer {

/// The arguments of Python's DistributedDataParallel, with its defaults.
struct DistributedDataParallelOptions {
  /// 25, as in Python, leaves the first bucket at 1 MiB; any other value holds for all buckets.
  std::int64_t bucket_cap_mib = 25;
  bool find_unused_parameters = false;
  bool static_graph = false;
  bool gradient_as_bucket_view = false;
  bool broadcast_buffers = true;
  CommHook comm_hook = CommHook::none;
};

/// Where the time of a step goes, on this rank. Means over the steps that were timed: the first ten, then one
/// in a hundred. Where ranks share memory, backward and communication are means over all steps, and
/// communication comes after backward.
struct DistributedDataParallelTimes {
  std::chrono::nanoseconds forward_compute{};   ///< from the start of forward to the start of backward
  std::chrono::nanoseconds backward_compute{};  ///< until the last gradient is there
  std::chrono::nanoseconds communication{};     ///< from the first bucket's start to the last one's end
  std::chrono::nanoseconds overlap{};           ///< of communication with backward_compute

  /// How long backward waits for other ranks and the network after its own work is done.
  [[nodiscard]] std::chrono::nanoseconds exposed_communication() const { return communication - overlap; }
};

/// Python's torch.nn.parallel.DistributedDataParallel over the same c10d::Reducer: gradients are averaged
/// over the ranks in backward(), and the parameters of all ranks stay equal, byte for byte those of
/// Python.
///
///     DistributedDataParallel model(net, group);
///     auto loss = torch::nn::functional::cross_entropy(model.forward(input), target);
///     loss.backward();
///
/// The constructor checks that all ranks have the same parameters, buffers and options, then takes the values
/// of rank 0. Parameters may not be replaced or moved to another device afterwards, so torch::load() comes
/// before it. Used by one thread.
/// Throws what the collectives throw; after that neither this object nor the group can be used any more.
class DistributedDataParallel {
 public:
  using Forward = std::function<torch::Tensor(const torch::Tensor&)>;

  /// A collective. `group` must outlive this object; the module is shared with the caller. Throws
  /// std::invalid_argument when the ranks differ (with the rank and the parameter), and that derived from it,
  /// InvalidConfiguration, when no parameter needs a gradient or the backend cannot add up what the hook
  /// sends.
  DistributedDataParallel(std::shared_ptr<torch::nn::Module> module, Forward forward, ProcessGroup& group,
                          const DistributedDataParallelOptions& options = {});

  /// The same for any module with `torch::Tensor forward(torch::Tensor)`.
  template <class Net>
  DistributedDataParallel(std::shared_ptr<Net> net, ProcessGroup& group,
                          const DistributedDataParallelOptions& options = {})
      : DistributedDataParallel(
            net, [net](const torch::Tensor& input) { return net->forward(input); }, group, options) {}

  DistributedDataParallel(DistributedDataParallel&&) noexcept;
  DistributedDataParallel& operator=(DistributedDataParallel&&) = delete;
  ~DistributedDataParallel();

  /// The module's forward, with what has to be agreed before and after it. A collective, as in Python
  /// under at::NoGradGuard too, where there are buffers to broadcast. To evaluate on some of the ranks, or on
  /// unequal numbers of batches, call the forward of module(). Throws InvalidConfiguration with the name of a
  /// parameter that was replaced since the constructor, and with the names of those that got no gradient in
  /// the backward before, unless find_unused_parameters allows that.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& input);

  /// While it lives, forward and backward leave gradients unreduced: they add up on each rank until the first
  /// step outside.
  class NoSync {
   public:
    explicit NoSync(DistributedDataParallel& model);
    NoSync(const NoSync&) = delete;
    NoSync& operator=(const NoSync&) = delete;
    ~NoSync();

   private:
    DistributedDataParallel& model_;
    bool before_;
  };
  [[nodiscard]] NoSync no_sync() { return NoSync(*this); }

  /// Gives all ranks the buffers of rank 0, as every forward does where the option broadcast_buffers is true,
  /// whatever it is; before an evaluation or a checkpoint. A collective.
  void broadcast_buffers();

  [[nodiscard]] torch::nn::Module& module() const;

  /// Nullopt until a step has been timed.
  [[nodiscard]] std::optional<DistributedDataParallelTimes> average_times() const;

  /// How long this rank's own passes have taken since the call before, all of them: each from the start of
  /// forward, when the buffers are there, until its own gradients are. What it waits for other ranks is not
  /// in it. Not a collective; waits for the device.
  [[nodiscard]] std::chrono::nanoseconds take_own_time();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ddp::trainer
