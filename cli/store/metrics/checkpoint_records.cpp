#include "cli/store/metrics/checkpoint_records.hpp"

#include <algorithm>

#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/metrics/metrics_series.hpp"

namespace ddp::cli {
namespace {

using Seconds = std::chrono::duration<double>;

std::optional<CheckpointRecord> checkpoint_of(const MetricsRecord& record) {
  const bool is_whole = record.stall_ms && record.write_ms && record.time;
  if (!is_whole || *record.stall_ms < 0 || *record.write_ms < 0) return std::nullopt;
  return CheckpointRecord{record.attempt, record.step, Seconds(*record.stall_ms / 1e3),
                          Seconds(*record.write_ms / 1e3), *record.time};
}

/// `before` is of the same attempt.
bool has_waited(const CheckpointRecord& record, const CheckpointRecord& before) {
  return record.time - before.time < record.stall + record.write;
}

Seconds median_of(std::vector<CheckpointRecord> records, Seconds CheckpointRecord::*time) {
  const auto middle = records.begin() + std::ssize(records) / 2;
  std::ranges::nth_element(records, middle, {}, time);
  return (*middle).*time;
}

}  // namespace

std::vector<CheckpointRecord> parse_checkpoint_records(std::istream& lines) {
  std::vector<CheckpointRecord> records;
  for (const auto& record : read_metrics(lines, metrics_kind::kCheckpoint)) {
    if (const auto checkpoint = checkpoint_of(record)) records.push_back(*checkpoint);
  }
  return records;
}

std::vector<CheckpointRecord> load_checkpoint_records(const RunFolder& folder) {
  FileStream file(folder.metrics());
  return parse_checkpoint_records(file);
}

std::optional<CheckpointCost> cost_of_checkpoint(const std::vector<CheckpointRecord>& records,
                                                 std::int64_t last_step) {
  std::vector<CheckpointRecord> counted;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool follows = i > 0 && records[i - 1].attempt == records[i].attempt;
    if (records[i].step == last_step || (follows && has_waited(records[i], records[i - 1]))) continue;
    counted.push_back(records[i]);
  }
  if (counted.empty()) return std::nullopt;
  return CheckpointCost{median_of(counted, &CheckpointRecord::stall),
                        median_of(counted, &CheckpointRecord::write)};
}

}  // namespace ddp::cli
