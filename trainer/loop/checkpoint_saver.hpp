#pragma once

#include <chrono>
#include <optional>

#include "ddp/jobenv/progress_page.hpp"
#include "trainer/checkpoint/checkpoint_writer.hpp"
#include "trainer/loop/report/reporter.hpp"

namespace ddp::trainer {

/// Writes the checkpoints of a run while it trains, and tells of each. On rank 0 alone, used by one thread.
///
/// A checkpoint that cannot be written does not end the training, but the one that a run or a stop ends with
/// must be there. Every function throws AttemptSuperseded when a higher attempt was seen by the writer.
class CheckpointSaver {
 public:
  /// A state to save: where it is of, since when the training waits for it to be saved, and its score, if it
  /// is the best one.
  struct Order {
    ReportPlace place;
    std::chrono::steady_clock::time_point began;
    std::optional<BestScore> best = std::nullopt;
  };

  /// Keeps the newest `keep`. `reporter` and `progress` must outlive this object.
  CheckpointSaver(CheckpointStore store, std::int64_t keep, Reporter& reporter, ProgressPage& progress);

  /// Gets the memory for states like `like` before the first save needs it.
  void reserve(const TrainingState& like) { writer_.reserve(like); }

  /// Waits for the checkpoint before, and returns while `state` is copied and written. Before its parameters
  /// or the optimizer's tensors change, await_copy() must have returned.
  void save(const TrainingState& state, const Order& order);

  /// Waits for the copy; what it takes is part of the stall.
  void await_copy();

  /// The same without the copy: nothing of `state` may change before finish() has returned.
  void save_in_place(const TrainingState& state, const Order& order);

  /// Waits for the checkpoint before and begins to write it once more if it could not be written.
  void retry();

  /// Waits for the write in flight, no longer than `limit`; whether there is none any more.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds limit) const { return writer_.wait_for(limit); }

  /// Returns when what save_in_place() or retry() has begun is safe. Throws std::runtime_error when it cannot
  /// be written.
  void finish();

  /// Waits for the write in flight, no longer than `limit`, and tells of it: for a run that has failed.
  void settle(std::chrono::milliseconds limit) noexcept;

  /// The score of what BEST names, or will when the write in flight ends well.
  [[nodiscard]] const std::optional<BestScore>& best() const;

  /// Says what BEST names before the first save.
  void set_best(const std::optional<BestScore>& best) { named_best_ = best; }

  /// Lets BEST name the checkpoint of `step`, which is safe. A failure is told, not thrown.
  void pin_best(std::uint64_t step, const BestScore& best);

  /// To be called after each step, which took `taken`: tells of a write that has ended meanwhile.
  void after_step(std::chrono::steady_clock::duration taken);

 private:
  /// Steps and the time that they took.
  struct Pace {
    std::chrono::duration<double> taken{};
    std::int64_t steps = 0;
  };

  void took(const Order& order);
  void drain();
  void conclude(const WriteEnd& end);
  void report(const WriteEnd& end, std::chrono::steady_clock::duration waited);
  void warn_of_room(const SaveOutcome& outcome);
  [[nodiscard]] std::optional<double> slowdown() const;
  [[nodiscard]] CheckpointWriter::Options options(const Order& order) const { return {keep_, order.best}; }

  CheckpointWriter writer_;
  std::int64_t keep_;
  Reporter& reporter_;
  ProgressPage& progress_;
  ReportPlace place_;                            // of the newest state given
  std::chrono::steady_clock::duration stall_{};  // that the training has waited for it
  std::optional<BestScore> best_;                // of the newest state given, if it is the best one
  std::optional<BestScore> named_best_;          // by BEST
  bool failed_ = false;                          // to write the newest state given
  bool warned_of_room_ = false;
  bool has_stepped_ = false;
  Pace alone_, beside_a_write_;  // since the last report
};

}  // namespace ddp::trainer
