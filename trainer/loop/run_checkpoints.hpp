#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "trainer/checkpoint/training_state.hpp"
#include "trainer/loop/checkpoint_saver.hpp"
#include "trainer/loop/step/totals.hpp"
#include "trainer/loop/training_job.hpp"
#include "trainer/loop/training_place.hpp"

namespace ddp::trainer {

/// The checkpoints of a run: which one it goes on from, what has been saved of it, and which is the best.
/// Every rank has one, and what is called a collective is called by all of them; rank 0 alone reads and
/// writes files. Without a run folder nothing is written.
class RunCheckpoints {
 public:
  /// Where the states come from.
  struct Source {
    std::function<TrainingState()> whole;         ///< complete on rank 0; a collective
    std::function<TrainingState()> of_this_rank;  ///< as large, where ranks keep no shares
  };

  /// `job` and `reporter` must outlive this object.
  RunCheckpoints(const TrainingJob& job, Reporter& reporter, Source source);

  /// What the run goes on from: a checkpoint of its own, wherever it began, or else the one that
  /// checkpoint.path names. On rank 0 only. Throws NoValidCheckpoint where there are some and none is whole.
  [[nodiscard]] std::optional<TrainingState> read() const;

  /// Says that the run goes on from `state`, at `place`.
  void start_from(const TrainingState& state, const TrainingPlace& place);

  /// Takes the score of the model as it is now. A collective where a best one is kept.
  void note_score(const Totals& totals);

  /// The model is the best one yet, and no checkpoint holds it.
  [[nodiscard]] bool owes_best() const { return is_best_; }

  /// Returns while the state is copied and written. A collective.
  void save(const TrainingPlace& place, const ReportPlace& report);

  /// To be called before each update of the parameters: returns when what save() was given is copied.
  void await_copy();

  /// When it returns, rank 0 has the state on the disk. A collective.
  void save_for_good(const TrainingPlace& place, const ReportPlace& report);

  /// Lets BEST name the checkpoint of `step`, which is safe, if its score is the best one.
  void pin_best(std::int64_t step);

  /// To be called after each step, which took `taken`.
  void after_step(std::chrono::steady_clock::duration taken);

  /// For a run that has thrown: waits for the checkpoint in flight, no longer than a collective may take.
  void settle() noexcept;

 private:
  [[nodiscard]] CheckpointStore open_store() const;
  [[nodiscard]] bool are_written_beside() const;
  [[nodiscard]] bool is_better(const BestScore& score);
  [[nodiscard]] TrainingState begin(const TrainingPlace& place);
  [[nodiscard]] CheckpointSaver::Order order(const ReportPlace& report,
                                             std::chrono::steady_clock::time_point began) const;
  void await_write();

  const TrainingJob& job_;
  const TrainConfig& config_;
  Reporter& reporter_;
  Source source_;
  std::optional<CheckpointSaver> saver_;  // on rank 0, where there is a run folder
  std::optional<TrainingPlace> saved_;
  std::optional<BestScore> best_;  // on rank 0 what counts: it knows of writes that have failed
  bool is_best_ = false;           // the model is that of best_, and BEST does not name it yet
  bool memory_reserved_ = false;   // for checkpoints beside the training
};

}  // namespace ddp::trainer
