#include "trainer/strategy/strategy.hpp"

#include <ATen/ATen.h>

#include <unordered_set>
#include <utility>

#include "trainer/models/model_state.hpp"
#include "trainer/optim/clip_grad_norm.hpp"

namespace ddp::trainer {

Strategy::Strategy(std::shared_ptr<Model> model) : model_(std::move(model)) {
  for (const auto& item : model_->named_parameters()) tensors_.emplace(item.key(), item.value());
  for (const auto& item : model_->named_buffers()) tensors_.emplace(item.key(), item.value());
}

NamedTensors Strategy::parameters() const {
  NamedTensors parameters;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& parameter : model_->named_parameters()) {
    if (seen.insert(parameter.value().unsafeGetTensorImpl()).second)
      parameters.emplace_back(parameter.key(), parameter.value());
  }
  return parameters;
}

torch::Tensor Strategy::clip_grad_norm(const std::vector<torch::Tensor>& gradients, double max_norm) {
  return trainer::clip_grad_norm(gradients, max_norm);
}

void Strategy::verify(std::int64_t /*step*/) {}

StateRows Strategy::own_state(const Optimizer& optimizer) const {
  return {.model = whole_tensors(model_state(*model_)), .optimizer = optimizer.state_rows()};
}

void Strategy::load_tensor(const std::string& name, const torch::Tensor& whole) {
  const at::NoGradGuard no_grad;
  tensor_named(name).copy_(whole);
}

void Strategy::load_model_state(const NamedTensors& state) {
  trainer::load_model_state(*model_, state, [this](const std::string& name, const torch::Tensor& saved) {
    load_tensor(name, saved);
  });
}

void Strategy::read_tensor(const std::string& name, const TensorFiles& files) {
  load_tensor(name, files.read(name));
}

void Strategy::read_model_state(const TensorFiles& state) {
  std::vector<TensorShape> saved;
  for (const StoredTensor& tensor : state.tensors()) saved.push_back({tensor.name, tensor.shape});
  require_model_shapes(*model_, saved);
  for (const StoredTensor& tensor : state.tensors()) read_tensor(tensor.name, state);
}

}  // namespace ddp::trainer
