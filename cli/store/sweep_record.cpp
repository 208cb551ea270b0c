#include "cli/store/sweep_record.hpp"

#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kSweepSchema = "ddpsubmit.sweep.v1";

std::optional<SweepRecord> parse_record(const json& value) {
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
  if (const auto at_once = value.value("at_once", json()); at_once.is_number_integer())
    record.at_once = at_once;
  return record;
}

}  // namespace

json parse_sweep_value(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  return value.is_discarded() ? json(text) : value;
}

std::string render_sweep_value(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Expected<void> save_sweep_record(const RunFolder& sweep, const SweepRecord& record) {
  nlohmann::ordered_json value = {{"schema", kSweepSchema}, {"keys", record.keys}};
  value["at_once"] = record.at_once ? json(*record.at_once) : json();
  value["points"] = record.points;
  return save_file(sweep.sweep_record(), value.dump() + "\n", Durability::visible);
}

Expected<SweepRecord> load_sweep_record(const RunFolder& sweep) {
  const auto text = load_file(sweep.sweep_record());
  if (!text) return tl::unexpected(text.error());
  auto record = parse_record(json::parse(*text, nullptr, false));
  if (record) return std::move(*record);
  return fail(ExitCode::run_failed,
              "'" + sweep.sweep_record().string() + "' is not a valid record of a sweep");
}

}  // namespace ddp::cli
