#pragma once

#include <chrono>
#include <optional>

#include "trainer/checkpoint/checkpoint_writer.hpp"
#include "trainer/checkpoint/training_state.hpp"
#include "trainer/loop/state_source.hpp"
#include "trainer/loop/step/totals.hpp"
#include "trainer/loop/training_job.hpp"
#include "trainer/loop/training_place.hpp"
#include "trainer/loop/write_reports.hpp"

namespace ddp::trainer {

/// The checkpoints that a run writes while it trains: what has been saved of it, and which is the best. Every
/// rank has one, and what is called a collective is called by all of them. Rank 0 writes the files. Where
/// ranks hold shares of the parameters, each rank of the first group of them writes its own. Rank 0 alone
/// tells of it. Without a run folder nothing is written.
///
/// A checkpoint that cannot be written does not end the training, but the one that a run or a stop ends with
/// must be there: save_for_good() throws std::runtime_error. What looks at the end of a write, but for
/// settle(), throws AttemptSuperseded when a higher attempt was seen by the writer.
class RunCheckpoints {
 public:
  /// `job`, `reporter` and what `source` refers to must outlive this object.
  RunCheckpoints(const TrainingJob& job, Reporter& reporter, StateSource source);

  /// Makes ready to write, as `strategy` shares the work out; to be called once, before what follows. A
  /// collective. Throws InvalidConfiguration when ranks that hold shares of the parameters do not see the run
  /// folder.
  void open(const Strategy& strategy);

  /// Says that the run goes on from `state`, at `place`.
  void start_from(const TrainingState& state, const TrainingPlace& place);

  /// Takes the score of the model as it is now. A collective where a best one is kept.
  void note_score(const Totals& totals);

  /// The model is the best one yet, and no checkpoint holds it.
  [[nodiscard]] bool owes_best() const { return is_best_; }

  /// Waits for the write before, and returns while the state is copied and written. A collective.
  void save(const TrainingPlace& place, const ReportPlace& report);

  /// Returns when what save() was given is copied; what that takes is part of its stall. To be called before
  /// each update of the parameters.
  void await_copy();

  /// When it returns, rank 0 has the state on the disk. A state that is saved is not written again, unless
  /// that write has failed. A collective.
  void save_for_good(const TrainingPlace& place, const ReportPlace& report);

  /// Lets BEST name the checkpoint of `step`, which is safe, if its score is the best one. A failure is told,
  /// not thrown.
  void pin_best(std::int64_t step);

  /// Tells of a write that has ended meanwhile. To be called after each step, which took `taken`.
  void after_step(std::chrono::steady_clock::duration taken);

  /// For a run that has thrown: waits for the write in flight, no longer than a collective may take, and
  /// tells of it.
  void settle() noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool are_written_beside() const;
  [[nodiscard]] bool is_better(const BestScore& score);
  [[nodiscard]] TrainingState take_state(const TrainingPlace& place);
  [[nodiscard]] std::optional<BestScore> best_to_name() const { return is_best_ ? best_ : std::nullopt; }
  void write_copy(const TrainingState& state, const WriteReports::Given& given);
  void write_in_place(const TrainingState& state, const WriteReports::Given& given);
  void write_again_if_failed();
  void await_write();
  [[nodiscard]] bool leads() const;
  [[nodiscard]] bool from_rank_0(bool value) const;
  void conclude(const WriteEnd& end);
  void conclude_write();
  void conclude_write_for_good();

  const TrainingJob& job_;
  const TrainConfig& config_;
  Reporter& reporter_;
  StateSource source_;
  std::optional<CheckpointWriter> writer_;  // on ranks that write, where there is a run folder
  WriteReports reports_;
  std::optional<TrainingPlace> saved_;
  std::optional<BestScore> best_;  // on rank 0 what counts: it knows of writes that have failed
  bool is_best_ = false;           // the model is that of best_, and BEST does not name it yet
  bool memory_reserved_ = false;   // for checkpoints beside the training
};

}  // namespace ddp::trainer
