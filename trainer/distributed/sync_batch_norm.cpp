#include "ddp/trainer/sync_batch_norm.hpp"

#include <ATen/ops/batch_norm_native.h>
#include <torch/library.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>

#include <mutex>
#include <optional>
#include <unordered_map>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/distributed/batch_norm_over_ranks.hpp"

// Modules hold their layers by type, and a layer's forward is not virtual: neither can be replaced from
// outside. But all of them come to one operator, batch_norm, and there a layer is known by a tensor of its
// own.
namespace ddp::trainer {
namespace {

using torch::Tensor;

struct Layer {
  const torch::nn::Module* module;
  ProcessGroup* group;
};

/// The layers that are synchronised now, by their keys. Used by any thread.
class Layers {
 public:
  void add(const Tensor& key, const Layer& layer) {
    const std::lock_guard lock(mutex_);
    layers_.insert_or_assign(key.unsafeGetTensorImpl(), layer);
  }
  void remove(const Tensor& key) {
    const std::lock_guard lock(mutex_);
    layers_.erase(key.unsafeGetTensorImpl());
  }
  [[nodiscard]] std::optional<Layer> find(const Tensor& key) {
    const std::lock_guard lock(mutex_);
    const auto found = layers_.find(key.unsafeGetTensorImpl());
    return found == layers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const c10::TensorImpl*, Layer> layers_;
};

Layers& layers() {
  static Layers instance;
  return instance;
}

Tensor key_of(const Tensor& running_mean, const Tensor& weight) {
  return running_mean.defined() ? running_mean : weight;
}

/// The operator batch_norm, for layers that are synchronised and others. A layer without running statistics
/// asks it to train in evaluation mode, too.
Tensor batch_norm(const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
                  const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
                  bool training, double momentum, double eps, bool cudnn_enabled) {
  const BatchNormParts parts{.weight = weight.value_or(Tensor()),
                             .bias = bias.value_or(Tensor()),
                             .running_mean = running_mean.value_or(Tensor()),
                             .running_var = running_var.value_or(Tensor()),
                             .momentum = momentum,
                             .eps = eps};
  const auto layer =
      training ? layers().find(key_of(parts.running_mean, parts.weight)) : std::optional<Layer>();
  if (layer && layer->module->is_training()) return batch_norm_over_ranks(input, parts, *layer->group);
  return at::native::batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps,
                                cudnn_enabled);
}

/// Once, and for good: what is no layer of ours goes the way that it would have gone.
void take_over_operator() {
  static const auto libraries = [] {
    std::vector<torch::Library> made;
    for (const auto key : {c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutogradCUDA}) {
      made.emplace_back(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
      made.back().impl("batch_norm", batch_norm);
    }
    return made;
  }();
}

template <class Norm>
std::optional<Tensor> key_of_layer(const torch::nn::Module& module) {
  const auto* layer = module.as<Norm>();
  return layer ? std::optional(key_of(layer->running_mean, layer->weight)) : std::nullopt;
}

/// Nullopt for what is no BatchNorm layer.
std::optional<Tensor> key_of(const torch::nn::Module& module) {
  if (auto key = key_of_layer<torch::nn::BatchNorm2dImpl>(module)) return key;
  if (auto key = key_of_layer<torch::nn::BatchNorm1dImpl>(module)) return key;
  return key_of_layer<torch::nn::BatchNorm3dImpl>(module);
}

/// The layers of `root`, with their keys.
std::vector<std::pair<Tensor, const torch::nn::Module*>> find_layers(const torch::nn::Module& root) {
  std::vector<std::pair<Tensor, const torch::nn::Module*>> found;
  const auto add = [&](const std::string& name, const torch::nn::Module& module) {
    const auto key = key_of(module);
    if (!key) return;
    if (!key->defined()) {
      throw InvalidConfiguration("sync_batch_norm: the layer '" + name +
                                 "' has neither weight nor running statistics; give it one of them");
    }
    found.emplace_back(*key, &module);
  };
  add("", root);
  for (const auto& item : root.named_modules("", /*include_self=*/false)) add(item.key(), *item.value());
  if (found.empty())
    throw InvalidConfiguration("sync_batch_norm: the model has no BatchNorm layer; remove sync_batch_norm");
  return found;
}

}  // namespace

SyncBatchNorm::SyncBatchNorm(const torch::nn::Module& module, ProcessGroup& group) {
  const auto found = find_layers(module);
  if (group.size() == 1) return;
  take_over_operator();
  for (const auto& [key, layer] : found) {
    layers().add(key, {layer, &group});
    keys_.push_back(key);
  }
}

SyncBatchNorm::~SyncBatchNorm() {
  for (const auto& key : keys_) layers().remove(key);
}

}  // namespace ddp::trainer
