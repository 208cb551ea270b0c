#include "trainer/loop/run_checkpoints.hpp"

#include <ATen/ATen.h>

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "trainer/distributed/agreement/wait_for_rank_0.hpp"
#include "trainer/loop/await_own_part.hpp"
#include "trainer/loop/common_folder.hpp"
#include "trainer/loop/run_store.hpp"

namespace ddp::trainer {
namespace {

bool beats(const BestScore& score, const std::optional<BestScore>& best) {
  if (!best || best->metric != score.metric) return true;
  return score.metric == "accuracy" ? score.value > best->value : score.value < best->value;
}

}  // namespace

RunCheckpoints::RunCheckpoints(const TrainingJob& job, Reporter& reporter, StateSource source)
    : job_(job),
      config_(job.config),
      reporter_(reporter),
      source_(source),
      reports_(reporter, job.progress) {}

void RunCheckpoints::open(const Strategy& strategy) {
  if (job_.run_dir.empty()) return;
  if (strategy.parameters_held() == Held::share) require_common_folder(job_.run_dir, job_.group);
  if (auto saver = make_run_saver(job_, strategy)) writer_.emplace(std::move(saver));
}

/// Whether this rank tells of the writes.
bool RunCheckpoints::leads() const {
  return writer_ && job_.group.rank() == 0;
}

bool RunCheckpoints::from_rank_0(bool value) const {
  torch::Tensor agreed = at::full({1}, value ? 1 : 0, at::kLong);
  job_.group.broadcast(agreed);
  return agreed.item<std::int64_t>() != 0;
}

void RunCheckpoints::start_from(const TrainingState& state, const TrainingPlace& place) {
  if (!state.of_another_run) {
    saved_ = place;
    best_ = state.best;
  }
  reports_.set_named_best(best_);
}

void RunCheckpoints::note_score(const Totals& totals) {
  const KeepBest by = config_.checkpoint.keep_best;
  if (by == KeepBest::none) return;
  const BestScore score = by == KeepBest::accuracy ? BestScore{"accuracy", totals.accuracy()}
                                                   : BestScore{"loss", totals.mean_loss()};
  if (!is_better(score)) return;
  best_ = score;
  is_best_ = true;
}

/// What rank 0 says: it alone knows of which checkpoint the write has failed.
bool RunCheckpoints::is_better(const BestScore& score) {
  if (leads()) best_ = reports_.best();
  return from_rank_0(beats(score, best_));
}

void RunCheckpoints::save(const TrainingPlace& place, const ReportPlace& report) {
  if (job_.run_dir.empty()) return;
  const auto began = Clock::now();
  const TrainingState state = take_state(place);
  await_write();
  if (writer_) write_copy(state, {report, began, best_to_name()});
  memory_reserved_ = true;
  is_best_ = false;
}

void RunCheckpoints::await_copy() {
  if (!writer_) return;
  const auto began = Clock::now();
  writer_->await_copy();
  reports_.add_stall(Clock::now() - began);
}

void RunCheckpoints::save_for_good(const TrainingPlace& place, const ReportPlace& report) {
  if (job_.run_dir.empty()) return;
  const auto began = Clock::now();
  job_.progress.enter(Phase::checkpoint);
  await_write();
  std::optional<TrainingState> state;  // until it is written
  if (saved_ == place && !is_best_) {
    write_again_if_failed();
  } else {
    state = take_state(place);
    if (writer_) write_in_place(*state, {report, began, best_to_name()});
    is_best_ = false;
  }
  await_write();
  if (writer_) conclude_write_for_good();
}

TrainingState RunCheckpoints::take_state(const TrainingPlace& place) {
  job_.progress.enter(Phase::checkpoint);
  saved_ = place;
  return source_.take();
}

void RunCheckpoints::write_copy(const TrainingState& state, const WriteReports::Given& given) {
  conclude_write();
  writer_->begin(state, {config_.checkpoint.keep, given.best});
  reports_.begin(given);
}

// The time until the write begins is stall, and so is the write: conclude_write_for_good() adds it.
void RunCheckpoints::write_in_place(const TrainingState& state, const WriteReports::Given& given) {
  conclude_write();
  reports_.begin(given);
  writer_->begin_in_place(state, {config_.checkpoint.keep, given.best});
}

/// All that have written it, as it is one checkpoint. Nothing was written yet in a run that had nothing to
/// do.
void RunCheckpoints::write_again_if_failed() {
  if (writer_) conclude_write();
  if (from_rank_0(reports_.has_failed()) && writer_) writer_->begin_again();
}

/// Rank 0 may need longer for a write than the others may wait in a collective. Each rank waits for its own
/// part outside of collectives, so that a rank whose disk hangs does not look like one that waits for others.
void RunCheckpoints::await_write() {
  const auto is_written = [this](std::chrono::milliseconds limit) {
    return !writer_ || await_own_part(*writer_, limit);
  };
  wait_for_rank_0(job_.group, std::chrono::milliseconds(config_.collective_timeout) / 4, is_written,
                  [&](std::chrono::milliseconds limit) {
                    if (!writer_ || !is_written(limit)) return;
                    if (const auto end = writer_->poll()) conclude(*end);
                  });
}

/// Rank 0 tells of a failure of any rank, and goes on. Another one throws what keeps it from telling rank 0.
void RunCheckpoints::conclude(const WriteEnd& end) {
  if (leads())
    reports_.conclude(end);
  else if (end.error)
    std::rethrow_exception(end.error);
}

void RunCheckpoints::conclude_write() {
  if (const auto end = writer_->wait()) conclude(*end);
}

void RunCheckpoints::conclude_write_for_good() {
  if (!leads()) return conclude_write();
  if (const auto end = writer_->wait()) reports_.conclude_for_good(*end);
}

void RunCheckpoints::pin_best(std::int64_t step) {
  if (!is_best_ || !leads()) return;
  try {
    open_run_store(job_).pin_best(static_cast<std::uint64_t>(step), *best_);
    reports_.set_named_best(best_);
  } catch (const AttemptSuperseded&) {
    throw;
  } catch (const std::exception& error) {
    reporter_.note(std::string("WARNING: BEST still points to an earlier checkpoint: ") + error.what());
  }
}

bool RunCheckpoints::are_written_beside() const {
  const auto& checkpoint = config_.checkpoint;
  return checkpoint.every_steps || checkpoint.every_epochs || checkpoint.every ||
         checkpoint.keep_best != KeepBest::none;
}

// The memory of checkpoints beside the training is taken when it is known how large they are: the optimizer
// has its moments after a step. Where others send their shares of its state, the size is not known before the
// first checkpoint.
void RunCheckpoints::after_step(Clock::duration taken) {
  if (!writer_) return;
  if (are_written_beside() && !memory_reserved_ && source_.is_known_here()) {
    writer_->reserve(source_.of_this_rank());
    memory_reserved_ = true;
  }
  using Beside = WriteReports::Beside;
  reports_.add_step(taken, writer_->is_writing() ? Beside::a_write : Beside::nothing);
  if (const auto end = writer_->poll()) conclude(*end);
}

void RunCheckpoints::settle() noexcept {
  if (!writer_) return;
  try {
    writer_->hurry();
    if (writer_->is_writing()) job_.progress.enter(Phase::checkpoint);
    if (writer_->wait_for(config_.collective_timeout)) conclude_write();
  } catch (...) {  // what ended the run is told already
  }
}

}  // namespace ddp::trainer
