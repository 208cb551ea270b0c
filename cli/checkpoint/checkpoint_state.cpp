#include "cli/checkpoint/checkpoint_state.hpp"

#include <nlohmann/json.hpp>

#include "jobenv/record/files/durable_file.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::cli {
namespace {

tl::unexpected<Error> refuse_state(const std::string& why) {
  return fail(ExitCode::no_valid_checkpoint, why);
}

/// Throws where a field that each checkpoint has is missing, or one has another type.
CheckpointState read_state(const nlohmann::json& value) {
  CheckpointState state;
  value.at("step").get_to(state.step);
  value.at("epoch").get_to(state.epoch);
  value.at("position").get_to(state.position);
  value.at("world_size").get_to(state.world_size);
  state.batch_size = value.value("batch_size", state.batch_size);
  state.total_steps = value.value("total_steps", state.total_steps);
  state.extra_tensors = value.value("extra_tensors", state.extra_tensors);
  state.settings = value.value("settings", state.settings);
  state.libtorch = value.value(nlohmann::json::json_pointer("/versions/libtorch"), state.libtorch);
  return state;
}

}  // namespace

Expected<CheckpointState> load_checkpoint_state(const std::filesystem::path& folder) {
  const auto text = load_file(folder / trainer::kStateFile);
  if (!text && text.error().code == ExitCode::not_found) return refuse_state("is missing");
  if (!text) return refuse_state("cannot be read: " + text.error().message);
  const nlohmann::json value = nlohmann::json::parse(*text, nullptr, false);
  if (!value.is_object()) return refuse_state("is not a JSON object");
  try {
    auto state = read_state(value);
    if (state.world_size < 1) return refuse_state("has an impossible number of ranks");
    return state;
  } catch (const nlohmann::json::exception&) {
    return refuse_state("lacks a field, or has one of another type");
  }
}

}  // namespace ddp::cli
