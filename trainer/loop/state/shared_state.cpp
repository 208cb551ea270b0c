#include "trainer/loop/state/shared_state.hpp"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "ddp/jobenv/own_progress.hpp"
#include "trainer/distributed/agreement/broadcast_text.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;

json describe(const torch::Tensor& tensor) {
  return {{"type", static_cast<int>(tensor.scalar_type())}, {"shape", tensor.sizes().vec()}};
}

torch::Tensor make_empty(const json& description) {
  return at::empty(description.at("shape").get<std::vector<std::int64_t>>(),
                   static_cast<at::ScalarType>(description.at("type").get<int>()));
}

json describe(const NamedTensors& tensors) {
  json list = json::array();
  for (const auto& [name, tensor] : tensors) list.push_back({{"name", name}, {"tensor", describe(tensor)}});
  return list;
}

NamedTensors make_empty_list(const json& list) {
  NamedTensors tensors;
  for (const auto& item : list) tensors.emplace_back(item.at("name"), make_empty(item.at("tensor")));
  return tensors;
}

json describe(const TrainingState& state) {
  json rng = json::array();
  for (const auto& tensor : state.rng) rng.push_back(describe(tensor));
  return {{"step", state.step},
          {"epoch", state.epoch},
          {"position", state.position},
          {"world_size", state.world_size},
          {"shards", state.shards},
          {"batch_size", state.batch_size},
          {"best", state.best ? json{{"metric", state.best->metric}, {"value", state.best->value}} : json()},
          {"of_another_run", state.of_another_run},
          {"settings", state.settings},
          {"total_steps", state.total_steps},
          {"model", describe(state.model)},
          {"optimizer", describe(state.optimizer)},
          {"extra", describe(state.extra)},
          {"rng", std::move(rng)}};
}

TrainingState make_empty_state(const json& description) {
  TrainingState state;
  state.step = description.at("step");
  state.epoch = description.at("epoch");
  state.position = description.at("position");
  state.world_size = description.at("world_size");
  state.shards = description.at("shards");
  state.batch_size = description.at("batch_size");
  if (const auto& best = description.at("best"); !best.is_null())
    state.best = {best.at("metric"), best.at("value")};
  state.of_another_run = description.at("of_another_run");
  state.settings = description.at("settings");
  state.total_steps = description.at("total_steps");
  state.model = make_empty_list(description.at("model"));
  state.optimizer = make_empty_list(description.at("optimizer"));
  state.extra = make_empty_list(description.at("extra"));
  for (const auto& tensor : description.at("rng")) state.rng.push_back(make_empty(tensor));
  return state;
}

void share(torch::Tensor& tensor, ProcessGroup& group) {
  group.broadcast(tensor);
  count_part();
}

void share_tensors(TrainingState& state, ProcessGroup& group) {
  for (auto* tensors : {&state.model, &state.optimizer, &state.extra})
    for (auto& [name, tensor] : *tensors) share(tensor, group);
  for (auto& tensor : state.rng) share(tensor, group);
}

}  // namespace

std::optional<TrainingState> share_state(std::optional<TrainingState> state, ProcessGroup& group) {
  const bool mine = group.rank() == 0;
  const std::string description = broadcast_text(mine && state ? describe(*state).dump() : "", 0, group);
  if (description.empty()) return std::nullopt;
  if (!mine) state = make_empty_state(json::parse(description));
  share_tensors(*state, group);
  return state;
}

}  // namespace ddp::trainer
