#include "cli/store/metrics/training_progress.hpp"

#include <string>
#include <string_view>

#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kTail = 4096;  // a record has about 250 bytes

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

/// Of the newest record of kind train that tells it.
std::optional<double> last_of_training(std::string_view text, std::optional<double> MetricsRecord::*value) {
  while (!text.empty()) {
    const auto record = parse_metrics_record(take_last_line(text));
    if (record && record->kind == metrics_kind::kTrain && (*record).*value) return (*record).*value;
  }
  return std::nullopt;
}

/// A line that is being written does not count, nor does one without a loss if there is another.
std::optional<MetricsRecord> last_record(std::string_view text) {
  const auto newest = parse_metrics_record(take_last_line(text));
  auto record = newest;
  while (!tells_of_training(record) && !text.empty()) record = parse_metrics_record(take_last_line(text));
  return tells_of_training(record) ? record : newest;
}

}  // namespace

std::optional<TrainingProgress> load_training_progress(const RunFolder& folder) {
  const auto tail = load_tail(folder.metrics(), kTail);
  const auto record = last_record(tail);
  if (!record) return std::nullopt;
  return TrainingProgress{.kind = record->kind,
                          .attempt = record->attempt,
                          .step = record->step,
                          .total_steps = record->total_steps,
                          .epoch = record->epoch,
                          .loss = record->loss,
                          .accuracy = record->accuracy,
                          .samples_per_second = last_of_training(tail, &MetricsRecord::samples_per_second),
                          .training_loss = last_of_training(tail, &MetricsRecord::loss)};
}

}  // namespace ddp::cli
