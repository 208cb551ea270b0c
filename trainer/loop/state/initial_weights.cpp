#include "trainer/loop/state/initial_weights.hpp"

#include <ATen/ATen.h>

#include <map>
#include <sstream>

#include "trainer/checkpoint/format/weights_place.hpp"
#include "trainer/checkpoint/weights.hpp"
#include "trainer/distributed/agreement/broadcast_text.hpp"
#include "trainer/loop/state/join_some.hpp"
#include "trainer/models/model_state.hpp"

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

NamedTensors load_or_refuse(const std::filesystem::path& place) try {
  return load_weights(place);
} catch (const NoWeights& none) {
  throw InvalidConfiguration(std::string("train.model.weights: ") + none.what());
}

/// The tensors at `place`, in the order of `own`.
NamedTensors read_weights(const NamedTensors& own, const std::filesystem::path& place) {
  const NamedTensors loaded = load_or_refuse(place);
  const ByName saved(loaded.begin(), loaded.end());
  const auto faults = faults_of(own, saved);
  if (!faults.empty()) {
    throw WeightsMismatch("train.model.weights: the tensors of '" + place.string() +
                          "' do not match the model: " + join_some(faults, kShownFaults));
  }
  NamedTensors weights;
  for (const auto& [name, tensor] : own) weights.emplace_back(name, saved.at(name));
  return weights;
}

/// Those of rank 0, which alone has read the file.
std::vector<at::ScalarType> share_types(const NamedTensors& weights, ProcessGroup& group) {
  std::string mine;
  for (const auto& [name, tensor] : weights) mine += static_cast<char>(tensor.scalar_type());
  std::vector<at::ScalarType> types;
  for (const char type : broadcast_text(mine, 0, group)) types.push_back(static_cast<at::ScalarType>(type));
  return types;
}

}  // namespace

std::filesystem::path load_initial_weights(Strategy& strategy, const std::filesystem::path& place,
                                           ProcessGroup& group) {
  const at::NoGradGuard no_grad;
  const NamedTensors own = model_state(strategy.model());
  std::filesystem::path found = group.rank() == 0 ? find_weights(place) : place;
  NamedTensors weights;
  if (group.rank() == 0) weights = read_weights(own, found);
  const auto types = share_types(weights, group);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto& [name, tensor] = own[i];
    const auto options = tensor.options().dtype(types[i]);
    torch::Tensor whole =
        group.rank() == 0 ? weights[i].second.to(options) : at::empty(tensor.sizes(), options);
    group.broadcast(whole);
    strategy.load_tensor(name, whole);
  }
  return found;
}

}  // namespace ddp::trainer
