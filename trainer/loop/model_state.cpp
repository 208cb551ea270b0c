#include "trainer/loop/model_state.hpp"

#include <algorithm>
#include <sstream>
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

namespace {

/// "[128, 784]"
std::string describe(at::IntArrayRef shape) {
  std::ostringstream text;
  text << shape;
  return text.str();
}

}  // namespace

void load_model_state(Model& model, const NamedTensors& state) {
  NamedTensors own = model_state(model);
  if (state.size() != own.size()) {
    throw std::invalid_argument("the checkpoint holds " + std::to_string(state.size()) +
                                " tensors, the model has " + std::to_string(own.size()));
  }
  for (auto& [name, tensor] : own) {
    const auto saved = std::ranges::find(state, name, &NamedTensors::value_type::first);
    if (saved == state.end()) throw std::invalid_argument("the checkpoint has no tensor '" + name + "'");
    if (saved->second.sizes() != tensor.sizes()) {
      throw std::invalid_argument("tensor '" + name + "' of the checkpoint has the shape " +
                                  describe(saved->second.sizes()) + ", that of the model " +
                                  describe(tensor.sizes()));
    }
    tensor.copy_(saved->second);
  }
}

}  // namespace ddp::trainer
