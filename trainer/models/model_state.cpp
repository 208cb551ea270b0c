#include "trainer/models/model_state.hpp"

#include <c10/util/StringUtil.h>

#include <stdexcept>
#include <unordered_map>

namespace ddp::trainer {

NamedTensors model_state(const Model& model) {
  NamedTensors state;
  for (const auto& parameter : model.named_parameters()) {
    state.emplace_back(parameter.key(), parameter.value().detach());
  }
  for (const auto& buffer : model.named_buffers()) state.emplace_back(buffer.key(), buffer.value());
  return state;
}

void require_model_shapes(const Model& model, const std::vector<TensorShape>& saved) {
  const NamedTensors own = model_state(model);
  if (saved.size() != own.size()) {
    throw std::invalid_argument("the checkpoint holds " + std::to_string(saved.size()) +
                                " tensors, the model has " + std::to_string(own.size()));
  }
  std::unordered_map<std::string, at::IntArrayRef> shapes;
  for (const TensorShape& tensor : saved) shapes.emplace(tensor.name, tensor.shape);
  for (const auto& [name, tensor] : own) {
    const auto found = shapes.find(name);
    if (found == shapes.end()) throw std::invalid_argument("the checkpoint has no tensor '" + name + "'");
    if (found->second != tensor.sizes()) {
      throw std::invalid_argument(c10::str("tensor '", name, "' of the checkpoint has the shape ",
                                           found->second, ", that of the model ", tensor.sizes()));
    }
  }
}

void load_model_state(const Model& model, const NamedTensors& state,
                      const std::function<void(const std::string&, const torch::Tensor&)>& load) {
  std::vector<TensorShape> shapes;
  for (const auto& [name, tensor] : state) shapes.push_back({name, tensor.sizes().vec()});
  require_model_shapes(model, shapes);
  for (const auto& [name, tensor] : state) load(name, tensor);
}

}  // namespace ddp::trainer
