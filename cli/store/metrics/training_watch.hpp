#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// How far a training is and how fast it goes, as its newest progress record tells.
struct TrainingPace {
  int attempt = 0;  ///< that told it
  std::int64_t step = 0;
  std::int64_t total_steps = 0;
  std::optional<std::int64_t> epoch = {};           ///< from 1
  std::optional<double> loss = {};                  ///< nullopt: not a finite number
  std::optional<double> samples_per_second = {};    ///< the same
  std::chrono::system_clock::time_point time = {};  ///< of the record, by the clock of rank 0's host
  /// Of a step, evaluations and checkpoints included. nullopt: not known.
  std::optional<std::chrono::duration<double>> per_step = {};
  std::chrono::duration<double> between_records{};  ///< until the next one is due
};

/// Time until the last step is done. Runs down until the next record is due, and then stands still.
[[nodiscard]] std::optional<std::chrono::seconds> remaining_time(const TrainingPace& pace,
                                                                 std::chrono::system_clock::time_point now);

/// Reads metrics.jsonl while a training writes it: of a file that is there already the end only, and then
/// what is appended.
class TrainingWatch {
 public:
  /// What attempts before `first_attempt` tell does not count.
  TrainingWatch(RunFolder folder, int first_attempt);

  /// The pace of the newest attempt that has told one. nullopt: none has.
  [[nodiscard]] const std::optional<TrainingPace>& look();

 private:
  struct Origin {
    std::int64_t step = 0;
    std::chrono::system_clock::time_point time;
  };

  void open_metrics();
  void take(std::string_view text);
  void take_line(std::string_view line);
  void measure(TrainingPace& pace);

  RunFolder folder_;
  int first_attempt_;
  FileDescriptor file_;
  std::string unfinished_;    // a line that has no end yet
  bool in_cut_line_ = false;  // its beginning is not known
  std::optional<TrainingPace> pace_;
  Origin origin_;  // the first record of pace_'s attempt that was seen
};

}  // namespace ddp::cli
