#include "trainer/loop/state/initial_weights.hpp"

#include <ATen/ATen.h>

#include <map>
#include <sstream>

#include "trainer/checkpoint/weights.hpp"
#include "trainer/loop/state/join_some.hpp"
#include "trainer/loop/state/model_state.hpp"

namespace ddp::trainer {
namespace {

constexpr std::size_t kShownFaults = 3;

using ByName = std::map<std::string, torch::Tensor>;

// What keeps `saved` from being copied to `own`; empty when nothing does.
std::string fault_of(const std::string& name, const torch::Tensor& own, const torch::Tensor& saved) {
  std::ostringstream fault;
  if (saved.sizes() != own.sizes()) {
    fault << "'" << name << "' has shape " << saved.sizes() << ", but " << own.sizes() << " in the model";
  } else if (saved.is_floating_point() != own.is_floating_point()) {
    fault << "'" << name << "' has type " << saved.scalar_type() << ", but " << own.scalar_type()
          << " in the model";
  }
  return fault.str();
}

std::vector<std::string> faults_of(const NamedTensors& own, ByName saved) {
  std::vector<std::string> faults;
  for (const auto& [name, tensor] : own) {
    const auto found = saved.extract(name);
    std::string fault = found ? fault_of(name, tensor, found.mapped()) : "'" + name + "' is missing";
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  for (const auto& [name, tensor] : saved) faults.push_back("the model has no '" + name + "'");
  return faults;
}

void read_into(NamedTensors& own, const std::filesystem::path& place) {
  const NamedTensors loaded = load_weights(place);
  const ByName saved(loaded.begin(), loaded.end());
  const auto faults = faults_of(own, saved);
  if (!faults.empty()) {
    throw WeightsMismatch("train.model.weights: the tensors of '" + place.string() +
                          "' do not match the model: " + join_some(faults, kShownFaults));
  }
  for (auto& [name, tensor] : own) tensor.copy_(saved.at(name));
}

}  // namespace

void load_initial_weights(Model& model, const std::filesystem::path& place, ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  NamedTensors own = model_state(model);
  if (group.rank() == 0) read_into(own, place);
  for (auto& [name, tensor] : own) group.broadcast(tensor);
}

}  // namespace ddp::trainer
