#include "trainer/checkpoint/state_file.hpp"

#include <torch/version.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "trainer/checkpoint/manifest_file.hpp"
#include "trainer/checkpoint/text_file.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kStateFormat = 1;

ordered_json state_to_json(const TrainingState& state) {
  return {{"format", kStateFormat},
          {"step", state.step},
          {"epoch", state.epoch},
          {"position", state.position},
          {"world_size", state.world_size},
          {"shards", state.shards},
          {"batch_size", state.batch_size},
          {"settings", state.settings},
          {"total_steps", state.total_steps},
          {"extra_tensors", state.extra.size()},
          {"versions", {{"libtorch", TORCH_VERSION}}}};
}

TrainingState state_from_json(const json& value) {
  TrainingState state;
  value.at("step").get_to(state.step);
  value.at("epoch").get_to(state.epoch);
  value.at("position").get_to(state.position);
  value.at("world_size").get_to(state.world_size);
  state.shards = value.value("shards", 0);
  state.batch_size = value.value("batch_size", std::int64_t{0});
  state.settings = value.value("settings", state.settings);
  state.total_steps = value.value("total_steps", std::int64_t{0});
  state.libtorch = value.value("/versions/libtorch"_json_pointer, std::string());
  if (state.world_size < 1 || state.shards < 0 || state.batch_size < 0)
    throw std::runtime_error("its state.json has an impossible number of ranks, shards or samples");
  return state;
}

}  // namespace

FileSum save_state_file(const std::filesystem::path& file, const TrainingState& state,
                        const std::vector<std::string>& shard_files) {
  ordered_json value = state_to_json(state);
  if (!shard_files.empty()) value["shard_files"] = shard_files;
  // A configuration may hold any bytes.
  return save_text(file, value.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

StateFile load_state_file(const std::filesystem::path& file, const FileSum& expected) {
  const auto [text, sum] = load_text(file);
  check_sum(file, sum, expected);
  const json value = json::parse(text, nullptr, false);
  if (!value.is_object()) throw std::runtime_error("'" + file.string() + "' is not a JSON object");
  return {.state = state_from_json(value),
          .extra_tensors = value.value("extra_tensors", std::size_t{0}),
          .shard_files = value.value("shard_files", std::vector<std::string>())};
}

}  // namespace ddp::trainer
