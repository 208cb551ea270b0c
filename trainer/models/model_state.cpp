#include "trainer/models/model_state.hpp"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <stdexcept>

namespace ddp::trainer {

NamedTensors model_state(const Model& model) {
  NamedTensors state;
  for (const auto& parameter : model.named_parameters()) {
    state.emplace_back(parameter.key(), parameter.value().detach());
  }
  for (const auto& buffer : model.named_buffers()) state.emplace_back(buffer.key(), buffer.value());
  return state;
}

void load_model_state(const Model& model, const NamedTensors& state,
                      const std::function<void(const std::string&, const torch::Tensor&)>& load) {
  const NamedTensors own = model_state(model);
  if (state.size() != own.size()) {
    throw std::invalid_argument("the checkpoint holds " + std::to_string(state.size()) +
                                " tensors, the model has " + std::to_string(own.size()));
  }
  for (const auto& [name, tensor] : own) {
    const auto saved = std::ranges::find(state, name, &NamedTensors::value_type::first);
    if (saved == state.end()) throw std::invalid_argument("the checkpoint has no tensor '" + name + "'");
    if (saved->second.sizes() != tensor.sizes()) {
      throw std::invalid_argument(c10::str("tensor '", name, "' of the checkpoint has the shape ",
                                           saved->second.sizes(), ", that of the model ", tensor.sizes()));
    }
    load(name, saved->second);
  }
}

}  // namespace ddp::trainer
