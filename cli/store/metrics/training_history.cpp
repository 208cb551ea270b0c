#include "cli/store/metrics/training_history.hpp"

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/lenient_fields.hpp"
#include "jobenv/record/timestamp.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

std::optional<TimedStep> parse_step(const json& record) {
  const auto step = number_of<std::int64_t>(record, "step");
  const auto time = parse_time(text_of(record, "time"));
  const auto trained = record.find("trained_ms");
  if (!step || !time || trained == record.end() || !trained->is_number()) return std::nullopt;
  const std::chrono::duration<double, std::milli> spent(trained->get<double>());
  if (*step <= 0 || spent.count() < 0) return std::nullopt;
  return TimedStep{*step, spent, *time};
}

/// Takes the lines one by one. Most of them are progress records, of which little is needed: to parse them
/// all takes seconds after a long training.
class HistoryReader {
 public:
  void add(const std::string& line) {
    if (!line.ends_with('}')) return;
    if (line.starts_with(R"({"kind":"train",)")) {
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
    const auto record = json::parse(line, nullptr, false);
    if (!record.is_object()) return;
    const auto attempt = number_of<int>(record, "attempt");
    const auto step = parse_step(record);
    if (!attempt || !step) return;
    auto& training = history_[*attempt];
    if (text_of(record, "kind") == "first_step") training.first_step = step;
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
  for (std::string line; std::getline(lines, line);) reader.add(line);
  return std::move(reader).finish();
}

TrainingHistory load_training_history(const RunFolder& folder) {
  FileStream file(folder.metrics());
  return parse_training_history(file);
}

}  // namespace ddp::cli
