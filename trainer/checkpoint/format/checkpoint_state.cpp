#include "trainer/checkpoint/format/checkpoint_state.hpp"

#include <limits>
#include <nlohmann/json.hpp>

namespace ddp::trainer {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kStateFormat = 1;
constexpr std::int64_t kMostRanks = std::numeric_limits<int>::max();

/// Throws where a field that each checkpoint has is missing, or one has another type.
CheckpointState state_from_json(const json& value) {
  CheckpointState state;
  value.at("step").get_to(state.step);
  value.at("epoch").get_to(state.epoch);
  value.at("position").get_to(state.position);
  value.at("world_size").get_to(state.world_size);
  state.shards = value.value("shards", state.shards);
  state.batch_size = value.value("batch_size", state.batch_size);
  state.settings = value.value("settings", state.settings);
  state.total_steps = value.value("total_steps", state.total_steps);
  state.extra_tensors = value.value("extra_tensors", state.extra_tensors);
  state.libtorch = value.value(json::json_pointer("/versions/libtorch"), state.libtorch);
  state.shard_files = value.value("shard_files", state.shard_files);
  return state;
}

bool is_possible(const CheckpointState& state) {
  return state.world_size >= 1 && state.world_size <= kMostRanks && state.shards >= 0 &&
         state.shards <= kMostRanks && state.batch_size >= 0;
}

}  // namespace

std::string render_checkpoint_state(const CheckpointState& state) {
  ordered_json value = {{"format", kStateFormat},
                        {"step", state.step},
                        {"epoch", state.epoch},
                        {"position", state.position},
                        {"world_size", state.world_size},
                        {"shards", state.shards},
                        {"batch_size", state.batch_size},
                        {"settings", state.settings},
                        {"total_steps", state.total_steps},
                        {"extra_tensors", state.extra_tensors},
                        {"versions", {{"libtorch", state.libtorch}}}};
  if (!state.shard_files.empty()) value["shard_files"] = state.shard_files;
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

tl::expected<CheckpointState, std::string> parse_checkpoint_state(std::string_view text) {
  const json value = json::parse(text, nullptr, false);
  if (!value.is_object()) return tl::unexpected<std::string>("is not a JSON object");
  try {
    auto state = state_from_json(value);
    if (is_possible(state)) return state;
    return tl::unexpected<std::string>("has an impossible number of ranks, shards or samples");
  } catch (const json::exception&) {
    return tl::unexpected<std::string>("lacks a field, or has one of another type");
  }
}

}  // namespace ddp::trainer
