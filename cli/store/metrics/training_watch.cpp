#include "cli/store/metrics/training_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "jobenv/record/files/regular_file.hpp"
#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::cli {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr off_t kTailBytes = 1 << 16;          // more than a hundred records
constexpr std::size_t kLongestLine = 1 << 16;  // of a longer one nothing is taken
constexpr double kMostSamples = 1e15;          // a second
constexpr Seconds kLongestRemaining{1e9};

std::optional<double> positive(std::optional<double> number) {
  return number && *number > 0 ? number : std::nullopt;
}

/// What it says itself; nullopt when it is no progress record.
std::optional<TrainingPace> parse_pace(std::string_view line) {
  const auto record = parse_metrics_record(line);
  if (!record || record->kind != metrics_kind::kTrain) return std::nullopt;
  if (!record->total_steps || !record->time) return std::nullopt;
  if (record->step < 0 || record->step > *record->total_steps) return std::nullopt;
  TrainingPace pace{.attempt = record->attempt,
                    .step = record->step,
                    .total_steps = *record->total_steps,
                    .epoch = record->epoch,
                    .loss = record->loss,
                    .samples_per_second = positive(record->samples_per_second),
                    .time = *record->time};
  if (pace.samples_per_second > kMostSamples) pace.samples_per_second.reset();
  if (record->samples > 0 && pace.samples_per_second)
    pace.between_records = Seconds(static_cast<double>(*record->samples) / *pace.samples_per_second);
  if (const auto median = positive(record->step_ms_p50)) pace.per_step = Seconds(*median / 1e3);
  return pace;
}

}  // namespace

std::optional<std::chrono::seconds> remaining_time(const TrainingPace& pace,
                                                   std::chrono::system_clock::time_point now) {
  if (pace.step == pace.total_steps) return std::chrono::seconds(0);
  if (!pace.per_step) return std::nullopt;
  // Clocks of two hosts differ: the age may be negative.
  const Seconds age = std::clamp(Seconds(now - pace.time), Seconds(0), pace.between_records);
  const Seconds left = *pace.per_step * static_cast<double>(pace.total_steps - pace.step) - age;
  if (left > kLongestRemaining) return std::nullopt;
  return std::chrono::round<std::chrono::seconds>(std::max(left, Seconds(0)));
}

TrainingWatch::TrainingWatch(RunFolder folder, int first_attempt)
    : folder_(std::move(folder)), first_attempt_(first_attempt) {}

const std::optional<TrainingPace>& TrainingWatch::look() {
  if (!file_.is_open()) open_metrics();
  if (!file_.is_open()) return pace_;
  std::array<char, 16384> buffer;
  for (ssize_t count = 0; (count = read(file_.get(), buffer.data(), buffer.size())) > 0;)
    take({buffer.data(), static_cast<std::size_t>(count)});
  return pace_;
}

void TrainingWatch::open_metrics() {
  auto file = open_regular_file(folder_.metrics());
  if (!file) return;
  file_ = std::move(file->descriptor);
  const off_t size = lseek(file_.get(), 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, size - kTailBytes);
  lseek(file_.get(), begin, SEEK_SET);
  in_cut_line_ = begin > 0;
}

void TrainingWatch::take(std::string_view text) {
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    unfinished_ += text.substr(0, end);
    if (!std::exchange(in_cut_line_, false)) take_line(unfinished_);
    unfinished_.clear();
    text.remove_prefix(end + 1);
  }
  unfinished_ += text;
  if (unfinished_.size() <= kLongestLine) return;
  unfinished_.clear();
  in_cut_line_ = true;
}

/// A line that does not hold a record, such as one that a full disk has cut off, counts for nothing.
void TrainingWatch::take_line(std::string_view line) {
  auto pace = parse_pace(line);
  if (!pace || pace->attempt < (pace_ ? pace_->attempt : first_attempt_)) return;
  measure(*pace);
  pace_ = pace;
}

/// Times of one clock are compared, that of rank 0's host. The first record of an attempt has nothing to be
/// compared with, and keeps the time of a step that it tells.
void TrainingWatch::measure(TrainingPace& pace) {
  if (!pace_ || pace_->attempt != pace.attempt) origin_ = {pace.step, pace.time};
  if (pace.step > origin_.step && pace.time > origin_.time)
    pace.per_step = Seconds(pace.time - origin_.time) / static_cast<double>(pace.step - origin_.step);
}

}  // namespace ddp::cli
