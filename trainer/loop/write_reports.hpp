#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "ddp/jobenv/progress_page.hpp"
#include "trainer/checkpoint/checkpoint_writer.hpp"
#include "trainer/loop/report/reporter.hpp"

namespace ddp::trainer {

/// Tells how the writes of a run's checkpoints end and what they cost, and knows from that what BEST names.
/// Writes nothing itself. Used by one thread; it counts on rank 0 alone.
class WriteReports {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// A state that is given to be written: where it is of, since when the training waits for it to be saved,
  /// and its score, if it is the best one.
  struct Given {
    ReportPlace place;
    std::chrono::steady_clock::time_point began;
    std::optional<BestScore> best = std::nullopt;
  };

  /// What a step went beside.
  enum class Beside { nothing, a_write };

  /// `reporter` and `progress` must outlive this object.
  WriteReports(Reporter& reporter, ProgressPage& progress) : reporter_(reporter), progress_(progress) {}

  /// Begins the report on a state. What the training has waited for it until now is its stall.
  void begin(const Given& given);

  /// Adds to the stall of the newest state.
  void add_stall(Duration waited) { stall_ += waited; }

  /// Takes the time of a step, for what a write slows steps down.
  void add_step(Duration taken, Beside beside);

  /// Tells of a write that the training has not waited for: a failure is told, not thrown. Throws
  /// AttemptSuperseded when the writer has seen a higher attempt.
  void conclude(const WriteEnd& end);

  /// Tells of a write that the training has waited for. Throws std::runtime_error when it has failed, and
  /// AttemptSuperseded.
  void conclude_for_good(const WriteEnd& end);

  /// Whether the newest state could not be written.
  [[nodiscard]] bool has_failed() const { return failed_; }

  /// The score of what BEST names, or will name when the write in flight ends well.
  [[nodiscard]] const std::optional<BestScore>& best() const {
    return best_ && !failed_ ? best_ : named_best_;
  }

  /// Takes the score of what BEST names by another way than a write.
  void set_named_best(const std::optional<BestScore>& best) { named_best_ = best; }

 private:
  /// Steps and the time that they took.
  struct Pace {
    std::chrono::duration<double> taken{};
    std::int64_t steps = 0;
  };

  void report(const WriteEnd& end, Duration waited);
  void warn_of_room(const SaveOutcome& outcome);
  [[nodiscard]] std::optional<double> slowdown() const;

  Reporter& reporter_;
  ProgressPage& progress_;
  ReportPlace place_;                    // of the newest state
  Duration stall_{};                     // that the training has waited for it
  std::optional<BestScore> best_;        // of the newest state, if it is the best one
  std::optional<BestScore> named_best_;  // by BEST
  bool failed_ = false;                  // to write the newest state
  bool warned_of_room_ = false;
  bool has_stepped_ = false;
  Pace alone_, beside_a_write_;  // since the last report
};

}  // namespace ddp::trainer
