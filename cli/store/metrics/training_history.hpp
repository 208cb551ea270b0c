#pragma once

#include <chrono>
#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <vector>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// How long an attempt of a training had spent on its steps when it had done one of them.
struct TimedStep {
  std::int64_t step = 0;
  std::chrono::duration<double> trained{};
  std::chrono::system_clock::time_point time = {};  ///< of the record, by the clock of rank 0's host

  bool operator==(const TimedStep&) const = default;
};

struct AttemptTraining {
  std::optional<TimedStep> first_step;
  std::vector<TimedStep> steps;  ///< in order; the first one among them
};

/// By attempt; of those that have done a step.
using TrainingHistory = std::map<int, AttemptTraining>;

/// nullptr: the attempt has done none that is known.
[[nodiscard]] const TimedStep* find_first_step(int attempt, const TrainingHistory& history);

/// From the lines of a metrics.jsonl; of progress records that follow each other the last one counts, and a
/// line that holds no record for nothing.
[[nodiscard]] TrainingHistory parse_training_history(std::istream& lines);

/// Empty where there is none. Reads the whole file.
[[nodiscard]] TrainingHistory load_training_history(const RunFolder& folder);

}  // namespace ddp::cli
