#include "cli/export/run_export.hpp"

#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/metrics/metrics_series.hpp"

namespace ddp::cli {
namespace {

void add_values(RunExport& exported, const SweepRecord& sweep) {
  const auto& values = sweep.points.at(static_cast<std::size_t>(*exported.point));
  for (std::size_t key = 0; key < sweep.keys.size(); ++key)
    exported.values.emplace_back(sweep.keys[key], values[key]);
}

RunExport load_export(const KnownRun& run, const std::optional<SweepRecord>& sweep) {
  const RunFolder folder(run.pointer.run_dir);
  RunExport exported{.run_id = run.pointer.run_id,
                     .state = run.status.state,
                     .started = run.status.started,
                     .ended = run.status.ended,
                     .point = folder.point()};
  FileStream lines(folder.metrics());
  read_metrics(lines, [&exported](const MetricsRecord& record) { exported.records.add(record); });
  exported.records.finish();
  const bool has_values = sweep && exported.point && *exported.point < std::ssize(sweep->points);
  if (has_values) add_values(exported, *sweep);
  return exported;
}

}  // namespace

std::vector<RunExport> load_exports(const KnownRun& run) {
  std::vector<RunExport> exports;
  if (run.sweep) {
    for (const auto& point : run.points) exports.push_back(load_export(point, run.sweep));
    return exports;
  }
  std::optional<SweepRecord> sweep;
  const RunFolder folder(run.pointer.run_dir);
  if (folder.point()) {
    if (auto record = load_sweep_record(folder.sweep())) sweep = std::move(*record);
  }
  exports.push_back(load_export(run, sweep));
  return exports;
}

}  // namespace ddp::cli
