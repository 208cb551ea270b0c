#include "cli/commands/report/load_report.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cli/commands/compare/run_facts.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/report/plot/plots.hpp"
#include "cli/spec/recorded_origins.hpp"
#include "cli/spec/setup_lines.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/state/run_records.hpp"
#include "jobenv/config/yaml_text.hpp"
#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/metrics/merged_metrics.hpp"
#include "jobenv/record/metrics/metrics_series.hpp"

namespace ddp::cli {
namespace {

using std::chrono::system_clock;

/// The values of the file, by dotted path; of a list the place of its first item.
void collect_places(const ConfigNode& node, const std::string& path, std::map<std::string, Place>& places) {
  for (const auto& entry : node.entries)
    collect_places(entry.value, path.empty() ? entry.key : path + "." + entry.key, places);
  if (!node.entries.empty() || path.empty()) return;
  const bool has_items = node.kind == ConfigNode::Kind::sequence && !node.items.empty();
  places[path] = has_items ? node.items.front().place : node.place;
}

/// "run.yaml:4", by key; a default has none.
std::map<std::string, std::string> load_origins(const RunFolder& folder) {
  std::map<std::string, Place> places;
  const auto spec = load_yaml(folder.spec(), folder.spec(), Origin::config_file, kTextKeys);
  if (!spec) return {};
  collect_places(*spec, {}, places);
  std::map<std::string, std::string> origins;
  for (const auto& [path, place] : places) origins[path] = "default";
  for (const auto& [path, place] : recorded_origins(places)) origins[path] = place.describe();
  return origins;
}

std::vector<ReportFact> load_facts(const KnownRun& run, system_clock::time_point now) {
  const auto origins = load_origins(RunFolder(run.pointer.run_dir));
  std::vector<ReportFact> facts;
  for (auto& fact : load_run_facts(run, now)) {
    if (fact.section == "results") continue;
    const bool is_setting = fact.section == "settings" || fact.section == "data";
    const auto origin = is_setting ? origins.find(fact.key) : origins.end();
    facts.push_back({fact.section, fact.key, fact.text, origin == origins.end() ? "" : origin->second});
  }
  return facts;
}

/// What one pass over metrics.jsonl collects.
struct CollectedMetrics {
  FirstSteps first_steps = {};  ///< the first one of each attempt that is known
  std::vector<FailedCheckpoint> failed = {};
  MergedMetrics merged = {};

  void add(const MetricsRecord& record) {
    const bool is_step = record.kind == metrics_kind::kFirstStep || record.kind == metrics_kind::kTrain ||
                         record.kind == metrics_kind::kSteps;
    if (is_step && record.step > 0 && record.time) first_steps.try_emplace(record.attempt, *record.time);
    if (record.kind == metrics_kind::kCheckpointFailed)
      failed.push_back({record.attempt, record.step, record.time, record.message});
    merged.add(record);
  }
};

std::vector<SavedCheckpoint> checkpoints_of(const MergedMetrics& records) {
  std::vector<SavedCheckpoint> saved;
  for (const auto& record : records) {
    if (record.kind == metrics_kind::kCheckpoint)
      saved.push_back(
          {record.attempt, record.step, record.time, record.bytes, record.stall_ms, record.write_ms});
  }
  return saved;
}

void add_metrics(ReportedRun& reported, std::size_t most_buckets, system_clock::time_point now) {
  FileStream lines(RunFolder(reported.run.pointer.run_dir).metrics());
  CollectedMetrics metrics;
  read_metrics(lines, [&metrics](const MetricsRecord& record) { metrics.add(record); });
  metrics.merged.finish();
  reported.phases = phases_of(reported.run.status, metrics.first_steps, now);
  reported.failed_checkpoints = std::move(metrics.failed);
  reported.checkpoints = checkpoints_of(metrics.merged);
  reported.series = reduce_records(metrics.merged, most_buckets);
  reported.rank_times = reduce_rank_times(metrics.merged);
}

ReportedRun load_reported(KnownRun run, std::size_t most_buckets, system_clock::time_point now) {
  run.status.attempts = load_recorded_status(run.pointer, RankEvents::load).attempts;
  fill_in_live_ranks(run);
  if (auto plan = load_run_plan(RunFolder(run.pointer.run_dir))) run.plan = std::move(*plan);
  add_report(run, now);
  ReportedRun reported{.run = std::move(run)};
  reported.facts = load_facts(reported.run, now);
  add_metrics(reported, most_buckets, now);
  return reported;
}

/// A run that is given twice is shown once.
void drop_repeated(std::vector<KnownRun>& runs) {
  std::set<std::string> seen;
  std::erase_if(runs, [&](const KnownRun& run) { return !seen.insert(run.pointer.run_id).second; });
}

}  // namespace

ReportModel load_report(const std::vector<RunPointer>& pointers, const LauncherSeams& seams) {
  ReportModel model{.now = seams.system.clock.now()};
  std::vector<KnownRun> runs;
  for (auto& known : resolve_runs(pointers, seams)) {
    if (!known.sweep) {
      runs.push_back(std::move(known));
      continue;
    }
    std::ranges::move(known.points, std::back_inserter(runs));
    known.points.clear();
    model.sweeps.push_back(std::move(known));
  }
  drop_repeated(runs);
  drop_repeated(model.sweeps);
  const auto most_buckets = buckets_per_run(runs.size());
  for (auto& run : runs) model.runs.push_back(load_reported(std::move(run), most_buckets, model.now));
  return model;
}

}  // namespace ddp::cli
