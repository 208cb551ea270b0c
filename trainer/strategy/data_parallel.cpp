#include "trainer/strategy/data_parallel.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/strategy/worker_threads.hpp"

namespace ddp::trainer {
namespace {

std::vector<torch::Tensor> state_of(const Model& model) {
  std::vector<torch::Tensor> tensors;
  for (const auto& parameter : model.parameters()) tensors.push_back(parameter.detach());
  for (const auto& buffer : model.buffers()) tensors.push_back(buffer);
  return tensors;
}

at::Device device_of(const at::Device& first, int replica) {
  if (!first.is_cuda()) return first;
  return {first.type(), static_cast<c10::DeviceIndex>(first.index() + replica)};
}

class DataParallel final : public Strategy {
 public:
  explicit DataParallel(const StrategyParts& parts)
      : Strategy(parts.model),
        replicas_{parts.model},
        threads_(count_copies(parts.config, 1),
                 [threads = std::max(1, at::get_num_threads() / count_copies(parts.config, 1))] {
                   at::set_num_threads(threads);
                 }) {
    if (parts.group.size() != 1)
      throw InvalidConfiguration("data_parallel works in one process only: start a single rank");
    for (int i = 1; i < count_copies(parts.config, 1); ++i) {
      replicas_.push_back(parts.make_replica());
      replicas_.back()->to(device_of(parts.device, i));
    }
  }

  [[nodiscard]] Shards shards() const override {
    const int count = static_cast<int>(replicas_.size());
    return {count, 0, count};
  }

  [[nodiscard]] std::vector<PassResult> forward_backward(std::span<const Batch> batches,
                                                         const LocalPass& pass, GradientSync sync) override {
    if (!spread_) spread();
    std::vector<PassResult> results(batches.size());
    threads_.run([&](int index) {
      const auto i = static_cast<std::size_t>(index);
      const auto forward = [&model = *replicas_[i]](const torch::Tensor& input) {
        return model.forward(input);
      };
      results[i] = pass(forward, to_device(batches[i], index));
    });
    if (sync == GradientSync::now) gather_gradients();
    return results;
  }

  void share_model() override {}

 private:
  [[nodiscard]] Batch to_device(const Batch& batch, int replica) const {
    const at::Device device = device_of(replicas_.front()->parameters().front().device(), replica);
    return {batch.inputs.to(device), batch.targets.to(device)};
  }

  void spread() {
    const at::NoGradGuard no_grad;
    const auto source = state_of(*replicas_.front());
    for (auto replica = replicas_.begin() + 1; replica != replicas_.end(); ++replica) {
      const auto target = state_of(**replica);
      for (std::size_t i = 0; i < source.size(); ++i) torch::Tensor(target[i]).copy_(source[i]);
    }
    spread_ = true;
  }

  // Copy 0 gets the mean; the others' gradients are taken away, as the optimizer does not know them.
  void gather_gradients() {
    const at::NoGradGuard no_grad;
    std::vector<torch::Tensor> sums = replicas_.front()->parameters();
    for (auto replica = replicas_.begin() + 1; replica != replicas_.end(); ++replica) {
      auto parameters = (*replica)->parameters();
      for (std::size_t i = 0; i < sums.size(); ++i) add_gradient(sums[i], parameters[i]);
    }
    for (auto& parameter : sums) {
      if (parameter.grad().defined()) parameter.mutable_grad().div_(static_cast<double>(replicas_.size()));
    }
    spread_ = false;
  }

  static void add_gradient(torch::Tensor& sum, torch::Tensor& part) {
    if (!part.grad().defined()) return;
    if (sum.grad().defined()) {
      sum.mutable_grad().add_(part.grad().to(sum.device()));
    } else {
      sum.mutable_grad() = part.grad().to(sum.device());
    }
    part.mutable_grad().reset();
  }

  std::vector<std::shared_ptr<Model>> replicas_;
  bool spread_ = false;  // all replicas have the parameters of the first
  WorkerThreads threads_;
};

}  // namespace

std::unique_ptr<Strategy> make_data_parallel(const StrategyParts& parts) {
  return std::make_unique<DataParallel>(parts);
}

}  // namespace ddp::trainer
