#include "cli/store/metrics/training_progress.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kTail = 1 << 14;  // a record has about 250 bytes
constexpr std::size_t kTailOfCheckpoints = 1 << 17;

/// The last line of `text`, without its end, and what stands before it.
std::string_view take_last_line(std::string_view& text) {
  const auto end = text.rfind('\n');
  const std::string_view whole = text.substr(0, end == text.npos ? 0 : end);
  const auto begin = whole.rfind('\n') + 1;  // 0 where there is no other line
  text = whole.substr(0, begin);
  return whole.substr(begin);
}

bool tells_of_training(const std::optional<MetricsRecord>& record) {
  return record && record->kind != metrics_kind::kFirstStep && record->kind != metrics_kind::kSteps &&
         !record->kind.starts_with(metrics_kind::kCheckpoint);
}

TrainingProgress progress_of(const MetricsRecord& record) {
  return {.kind = record.kind,
          .attempt = record.attempt,
          .step = record.step,
          .total_steps = record.total_steps,
          .epoch = record.epoch,
          .loss = std::nullopt};
}

/// What a training is judged by, and what a program has named itself; not how long its parts take.
bool is_metric(std::string_view name) {
  return name == "loss" || name == "accuracy" ||
         std::ranges::find(metrics_fields(), name, &MetricsField::name) == metrics_fields().end();
}

/// What `record` tells and no newer one has told.
void add_metrics(const MetricsRecord& record, TrainingProgress& progress) {
  const ToldMetric metric{std::nullopt, record.step, record.kind};
  for (const auto& [name, value] : numbers_of(record)) {
    if (!is_metric(name)) continue;
    ToldMetric told = metric;
    told.value = value;
    progress.metrics.emplace(name, std::move(told));
  }
  for (const auto& name : record.not_finite) {
    if (is_metric(name)) progress.metrics.emplace(name, metric);
  }
  if (record.kind != metrics_kind::kTrain) return;
  if (!progress.samples_per_second) progress.samples_per_second = record.samples_per_second;
  if (!progress.training_loss) progress.training_loss = record.loss;
}

/// The records of `text` from the newest on: all that tell of the training, or the newest one alone. A line
/// that is being written does not count.
std::vector<MetricsRecord> newest_records(std::string_view text) {
  std::vector<MetricsRecord> records;
  std::optional<MetricsRecord> other;
  while (!text.empty()) {
    auto record = parse_metrics_record(take_last_line(text));
    if (tells_of_training(record))
      records.push_back(std::move(*record));
    else if (!other)
      other = std::move(record);
  }
  if (records.empty() && other) records.push_back(std::move(*other));
  return records;
}

/// Lines that cannot be of a checkpoint are not parsed.
std::optional<UnwrittenCheckpoint> find_failed_checkpoint(std::string_view text) {
  while (!text.empty()) {
    const auto line = take_last_line(text);
    if (line.find(metrics_kind::kCheckpoint) == line.npos) continue;
    const auto record = parse_metrics_record(line);
    if (record && record->kind == metrics_kind::kCheckpoint) return std::nullopt;
    if (record && record->kind == metrics_kind::kCheckpointFailed)
      return UnwrittenCheckpoint{record->step, record->message};
  }
  return std::nullopt;
}

}  // namespace

std::optional<TrainingProgress> load_training_progress(const RunFolder& folder) {
  const auto tail = load_tail(folder.metrics(), kTailOfCheckpoints);
  const auto records =
      newest_records(std::string_view(tail).substr(tail.size() - std::min(tail.size(), kTail)));
  if (records.empty()) return std::nullopt;
  TrainingProgress progress = progress_of(records.front());
  for (const auto& record : records) add_metrics(record, progress);
  if (const auto loss = progress.metrics.find("loss"); loss != progress.metrics.end()) {
    progress.loss = loss->second.value;
    progress.kind = loss->second.kind;
  }
  if (const auto accuracy = progress.metrics.find("accuracy"); accuracy != progress.metrics.end())
    progress.accuracy = accuracy->second.value;
  progress.failed_checkpoint = find_failed_checkpoint(tail);
  return progress;
}

}  // namespace ddp::cli
