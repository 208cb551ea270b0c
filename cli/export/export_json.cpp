#include "cli/export/export_json.hpp"

#include <map>

#include "jobenv/record/fields/timestamp.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

json begin_series(const std::string& kind, const std::string& metric) {
  json series = {{"kind", kind}, {"metric", metric}};
  for (const auto* list : {"step", "epoch", "attempt", "time", "value"}) series[list] = json::array();
  return series;
}

void add_point(json& series, const MetricsRecord& record, double value) {
  series["step"].push_back(record.step);
  series["epoch"].push_back(record.epoch ? json(*record.epoch) : json());
  series["attempt"].push_back(record.attempt);
  series["time"].push_back(record.time ? json(render_time(*record.time)) : json());
  series["value"].push_back(value);
}

/// In the order in which they begin.
json series_to_json(const std::vector<MetricsRecord>& records) {
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  json list = json::array();
  for (const auto& record : records) {
    for (const auto& [metric, value] : numbers_of(record)) {
      const auto [place, is_new] = places.try_emplace({record.kind, metric}, list.size());
      if (is_new) list.push_back(begin_series(record.kind, metric));
      add_point(list[place->second], record, value);
    }
  }
  return list;
}

}  // namespace

json export_json(const RunExport& run) {
  json values = json::object();
  for (const auto& [key, value] : run.values) values[key] = value;
  return {{"run_id", run.run_id},
          {"state", name_of(run.state)},
          {"point", run.point ? json(*run.point) : json()},
          {"values", std::move(values)},
          {"series", series_to_json(run.records)}};
}

}  // namespace ddp::cli
