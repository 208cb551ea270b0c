#include "trainer/checkpoint/format/checkpoint_state.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "jobenv/record/checkpoint_name.hpp"
#include "jobenv/record/fields/json_text.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kStateFormat = 1;
constexpr std::int64_t kMostRanks = std::numeric_limits<int>::max();
constexpr std::uint64_t kMostSteps = 1'000'000'000'000'000;  // 31 years of a microsecond each

/// nlohmann's JSON makes one of -7 and of 7.5, too.
bool is_count(const json& number) {
  return number.is_number_unsigned() && number.get<std::uint64_t>() <= kMostSteps;
}

bool has_counts(const json& value) {
  constexpr std::array kCounts = {"step",   "epoch",      "position",    "world_size",
                                  "shards", "batch_size", "total_steps", "extra_tensors"};
  return std::ranges::all_of(kCounts, [&value](const char* key) {
    const auto found = value.find(key);
    return found == value.end() || !found->is_number() || is_count(*found);
  });
}

/// Throws if a field is missing, or has another type.
CheckpointState state_from_json(const json& value) {
  CheckpointState state;
  value.at("step").get_to(state.step);
  value.at("epoch").get_to(state.epoch);
  value.at("position").get_to(state.position);
  value.at("world_size").get_to(state.world_size);
  value.at("shards").get_to(state.shards);
  value.at("batch_size").get_to(state.batch_size);
  value.at("settings").get_to(state.settings);
  value.at("total_steps").get_to(state.total_steps);
  value.at("extra_tensors").get_to(state.extra_tensors);
  value.at("versions").at("libtorch").get_to(state.libtorch);
  state.shard_files = value.value("shard_files", state.shard_files);
  return state;
}

bool is_possible(const CheckpointState& state) {
  return state.world_size >= 1 && state.world_size <= kMostRanks && state.shards <= kMostRanks;
}

std::optional<std::uint64_t> step_in_name(const std::filesystem::path& folder) {
  const auto name = parse_checkpoint_name((folder.has_filename() ? folder : folder.parent_path()).filename());
  return name ? std::optional(name->step) : std::nullopt;
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

tl::expected<CheckpointState, std::string> parse_checkpoint_state(std::string_view text,
                                                                  const std::filesystem::path& folder) {
  const json value = parse_json(text);
  if (!value.is_object()) return tl::unexpected<std::string>("is not a JSON object");
  const tl::unexpected<std::string> impossible("has an impossible number of steps, ranks, shards or samples");
  if (!has_counts(value)) return impossible;  // before they are converted
  try {
    auto state = state_from_json(value);
    if (!is_possible(state)) return impossible;
    const auto named = step_in_name(folder).value_or(state.step);
    if (named == state.step) return state;
    return tl::unexpected("is of step " + std::to_string(state.step) + ", and its folder is named for step " +
                          std::to_string(named));
  } catch (const json::exception&) {
    return tl::unexpected<std::string>("lacks a field, or has one of another type");
  }
}

}  // namespace ddp::trainer
