#include "cli/report/model/report_values.hpp"

#include "cli/output/json_values.hpp"
#include "cli/output/run/run_json.hpp"
#include "cli/report/model/setting_differences.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

json buckets_to_json(const std::vector<Bucket>& buckets) {
  json list = {{"step", json::array()},
               {"time", json::array()},
               {"attempt", json::array()},
               {"records", json::array()}};
  for (const auto& bucket : buckets) {
    list["step"].push_back(bucket.step);
    list["time"].push_back(time_or_null(bucket.time));
    list["attempt"].push_back(bucket.attempt);
    list["records"].push_back(bucket.records);
  }
  return list;
}

json metric_to_json(const ReducedMetric& metric) {
  json list = {{"metric", metric.name}, {"last", metric.last}};
  for (const auto* name : {"lowest", "mean", "highest"}) list[name] = json::array();
  for (const auto& value : metric.values) {
    list["lowest"].push_back(value ? json(value->lowest) : json());
    list["mean"].push_back(value ? json(value->mean) : json());
    list["highest"].push_back(value ? json(value->highest) : json());
  }
  return list;
}

json series_to_json(const std::vector<ReducedRecords>& series) {
  json list = json::array();
  for (const auto& records : series) {
    json metrics = json::array();
    for (const auto& metric : records.metrics) metrics.push_back(metric_to_json(metric));
    list.push_back({{"kind", records.kind},
                    {"records", records.records},
                    {"buckets", buckets_to_json(records.buckets)},
                    {"metrics", std::move(metrics)}});
  }
  return list;
}

json rank_times_to_json(const RankTimes& times) {
  if (times.ranks.empty()) return {};
  json rows = json::array();
  for (const auto& row : times.ms) {
    json& list = rows.emplace_back(json::array());
    for (const auto& ms : row) list.push_back(value_or_null(ms));
  }
  return {{"ranks", times.ranks},
          {"slowest_only", times.slowest_only},
          {"buckets", buckets_to_json(times.buckets)},
          {"ms", std::move(rows)}};
}

json phases_to_json(const std::vector<RunPhase>& phases) {
  json list = json::array();
  for (const auto& phase : phases)
    list.push_back({{"phase", name_of(phase.kind)},
                    {"attempt", phase.attempt},
                    {"begin", render_time(phase.begin)},
                    {"end", render_time(phase.end)}});
  return list;
}

json checkpoints_to_json(const ReportedRun& run) {
  json list = json::array();
  for (const auto& saved : run.checkpoints)
    list.push_back({{"attempt", saved.attempt},
                    {"step", saved.step},
                    {"time", time_or_null(saved.time)},
                    {"bytes", value_or_null(saved.bytes)},
                    {"stall_ms", value_or_null(saved.stall_ms)},
                    {"write_ms", value_or_null(saved.write_ms)}});
  return list;
}

json failed_checkpoints_to_json(const ReportedRun& run) {
  json list = json::array();
  for (const auto& failed : run.failed_checkpoints)
    list.push_back({{"attempt", failed.attempt},
                    {"step", failed.step},
                    {"time", time_or_null(failed.time)},
                    {"message", failed.message}});
  return list;
}

json facts_to_json(const std::vector<ReportFact>& facts) {
  json list = json::array();
  for (const auto& fact : facts)
    list.push_back({{"section", fact.section},
                    {"key", fact.key},
                    {"value", fact.text},
                    {"origin", text_or_null(fact.origin)}});
  return list;
}

json run_to_json(const ReportedRun& run, std::chrono::system_clock::time_point now) {
  json value = describe_json(run.run, now);
  value["facts"] = facts_to_json(run.facts);
  value["phases"] = phases_to_json(run.phases);
  value["series"] = series_to_json(run.series);
  value["rank_times"] = rank_times_to_json(run.rank_times);
  value["checkpoints"] = checkpoints_to_json(run);
  value["failed_checkpoints"] = failed_checkpoints_to_json(run);
  return value;
}

}  // namespace

json to_json(const ReportModel& model) {
  json runs = json::array(), sweeps = json::array(), differences = json::array();
  for (const auto& run : model.runs) runs.push_back(run_to_json(run, model.now));
  for (const auto& sweep : model.sweeps) sweeps.push_back(sweep.pointer.run_id);
  for (const auto& fact : differing_facts(model.runs))
    differences.push_back({{"key", fact.key}, {"values", fact.texts}});
  return {{"time", render_time(model.now)},
          {"sweeps", std::move(sweeps)},
          {"runs", std::move(runs)},
          {"differences", std::move(differences)}};
}

}  // namespace ddp::cli
