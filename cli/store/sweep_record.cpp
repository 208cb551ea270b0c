#include "cli/store/sweep_record.hpp"

#include <cstdint>
#include <limits>

#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kSweepSchema = "ddpsubmit.sweep.v1";

/// nullopt: it is none, or does not fit into an int.
std::optional<int> int_of(const json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  const bool fits = value.get<double>() >= 0 && value.get<double>() <= std::numeric_limits<int>::max();
  return fits ? std::optional(static_cast<int>(number)) : std::nullopt;
}

}  // namespace

std::optional<SweepRecord> parse_sweep_record(std::string_view text) {
  const json value = parse_json(text);
  if (!value.is_object() || value.value("schema", json()) != kSweepSchema) return std::nullopt;
  const auto keys = value.value("keys", json());
  const auto points = value.value("points", json());
  if (!keys.is_array() || !points.is_array()) return std::nullopt;
  SweepRecord record;
  for (const json& key : keys) {
    if (!key.is_string()) return std::nullopt;
    record.keys.push_back(key);
  }
  for (const json& values : points) {
    if (!values.is_array() || values.size() != keys.size()) return std::nullopt;
    record.points.emplace_back(values.begin(), values.end());
  }
  record.at_once = int_of(value.value("at_once", json()));
  return record;
}

json parse_sweep_value(const std::string& text) {
  json value = parse_json(text);
  return value.is_discarded() ? json(text) : value;
}

std::string render_sweep_value(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string render_sweep_record(const SweepRecord& record) {
  nlohmann::ordered_json value = {{"schema", kSweepSchema}, {"keys", record.keys}};
  value["at_once"] = record.at_once ? json(*record.at_once) : json();
  value["points"] = record.points;
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Expected<void> save_sweep_record(const RunFolder& sweep, const SweepRecord& record) {
  return save_file(sweep.sweep_record(), render_sweep_record(record), Durability::visible);
}

Expected<SweepRecord> load_sweep_record(const RunFolder& sweep) {
  const auto text = load_file(sweep.sweep_record());
  if (!text) return tl::unexpected(text.error());
  auto record = parse_sweep_record(*text);
  if (record) return std::move(*record);
  return fail(ExitCode::run_failed,
              "'" + sweep.sweep_record().string() + "' is not a valid record of a sweep");
}

}  // namespace ddp::cli
