#include "cli/store/metrics/training_history.hpp"

#include <algorithm>
#include <istream>
#include <string>
#include <utility>

#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::cli {
namespace {

std::optional<TimedStep> timed_step_of(const MetricsRecord& record) {
  if (!record.time || !record.trained_ms || record.step <= 0 || *record.trained_ms < 0) return std::nullopt;
  return TimedStep{record.step, std::chrono::duration<double, std::milli>(*record.trained_ms), *record.time};
}

/// Takes the lines one by one. Most of them are progress records, of which little is needed: to parse them
/// all takes seconds after a long training.
class HistoryReader {
 public:
  void add(const std::string& line) {
    if (!line.ends_with('}')) return;
    if (kind_of_line(line) == metrics_kind::kTrain) {
      progress_ = line;
      return;
    }
    take(std::exchange(progress_, {}));
    take(line);
  }

  TrainingHistory finish() && {
    take(progress_);
    // A checkpoint tells of itself when it is written, some steps later.
    for (auto& [attempt, training] : history_) std::ranges::stable_sort(training.steps, {}, &TimedStep::step);
    return std::move(history_);
  }

 private:
  void take(const std::string& line) {
    const auto record = parse_metrics_record(line);
    const auto step = record ? timed_step_of(*record) : std::nullopt;
    if (!step) return;
    auto& training = history_[record->attempt];
    if (record->kind == metrics_kind::kFirstStep) training.first_step = step;
    training.steps.push_back(*step);
  }

  TrainingHistory history_;
  std::string progress_;  // the newest progress record, while no other kind follows
};

}  // namespace

const TimedStep* find_first_step(int attempt, const TrainingHistory& history) {
  const auto training = history.find(attempt);
  if (training == history.end() || !training->second.first_step) return nullptr;
  return &*training->second.first_step;
}

TrainingHistory parse_training_history(std::istream& lines) {
  HistoryReader reader;
  for (std::string line; take_line(lines, line);) reader.add(line);
  return std::move(reader).finish();
}

TrainingHistory load_training_history(const RunFolder& folder) {
  FileStream file(folder.metrics());
  return parse_training_history(file);
}

}  // namespace ddp::cli
