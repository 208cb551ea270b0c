#include "trainer/loop/run_checkpoints.hpp"

#include <ATen/ATen.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "jobenv/record/run_folder.hpp"
#include "trainer/distributed/agreement/wait_for_rank_0.hpp"

namespace ddp::trainer {
namespace {

bool beats(const BestScore& score, const std::optional<BestScore>& best) {
  if (!best || best->metric != score.metric) return true;
  return score.metric == "accuracy" ? score.value > best->value : score.value < best->value;
}

}  // namespace

RunCheckpoints::RunCheckpoints(const TrainingJob& job, Reporter& reporter, Source source)
    : job_(job), config_(job.config), reporter_(reporter), source_(std::move(source)) {
  if (job.group.rank() == 0 && !job.run_dir.empty())
    saver_.emplace(open_store(), config_.checkpoint.keep, reporter, job.progress);
}

CheckpointStore RunCheckpoints::open_store() const {
  const RunFolder folder(job_.run_dir);
  const int attempt = job_.environment.attempt;
  return CheckpointStore(folder.checkpoints(), attempt, [folder, attempt] {
    if (!std::filesystem::exists(folder.attempts())) return attempt;  // a folder that no head has claimed
    const auto highest = folder.highest_attempt();
    if (!highest) throw std::runtime_error(highest.error().message);
    return *highest;
  });
}

std::optional<TrainingState> RunCheckpoints::read() const {
  const auto& path = config_.checkpoint.path;
  const bool reads_own =
      config_.mode == Mode::evaluate ? !path : config_.checkpoint.resume == Resume::automatic;
  const auto passed_over = [this](const std::string& fault) { reporter_.note(fault); };
  if (reads_own && !job_.run_dir.empty()) {
    auto own = open_store().load_newest_valid(passed_over);
    if (own) return own;
  }
  if (!path) return std::nullopt;
  TrainingState other = load_checkpoint(*path);
  other.of_another_run = true;
  return other;
}

void RunCheckpoints::start_from(const TrainingState& state, const TrainingPlace& place) {
  if (!state.of_another_run) {
    saved_ = place;
    best_ = state.best;
  }
  if (saver_) saver_->set_best(best_);
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
  if (saver_) best_ = saver_->best();
  torch::Tensor agreed = at::full({1}, beats(score, best_) ? 1 : 0, at::kLong);
  job_.group.broadcast(agreed);
  return agreed.item<std::int64_t>() != 0;
}

void RunCheckpoints::save(const TrainingPlace& place, const ReportPlace& report) {
  if (job_.run_dir.empty()) return;
  const auto began = std::chrono::steady_clock::now();
  const TrainingState state = begin(place);
  await_write();
  if (saver_) saver_->save(state, order(report, began));
  memory_reserved_ = true;
  is_best_ = false;
}

void RunCheckpoints::await_copy() {
  if (saver_) saver_->await_copy();
}

void RunCheckpoints::save_for_good(const TrainingPlace& place, const ReportPlace& report) {
  if (job_.run_dir.empty()) return;
  const auto began = std::chrono::steady_clock::now();
  job_.progress.enter(Phase::checkpoint);
  await_write();
  std::optional<TrainingState> state;  // until it is written
  if (saved_ == place && !is_best_) {
    if (saver_) saver_->retry();
  } else {
    state = begin(place);
    if (saver_) saver_->save_in_place(*state, order(report, began));
    is_best_ = false;
  }
  await_write();
  if (saver_) saver_->finish();
}

TrainingState RunCheckpoints::begin(const TrainingPlace& place) {
  job_.progress.enter(Phase::checkpoint);
  saved_ = place;
  return source_.whole();
}

CheckpointSaver::Order RunCheckpoints::order(const ReportPlace& report,
                                             std::chrono::steady_clock::time_point began) const {
  return {.place = report, .began = began, .best = is_best_ ? best_ : std::nullopt};
}

/// Rank 0 may need longer for a write than the others may wait in a collective.
void RunCheckpoints::await_write() {
  wait_for_rank_0(job_.group, std::chrono::milliseconds(config_.collective_timeout) / 4,
                  [this](std::chrono::milliseconds limit) { return !saver_ || saver_->wait_for(limit); });
}

void RunCheckpoints::pin_best(std::int64_t step) {
  if (is_best_ && saver_) saver_->pin_best(static_cast<std::uint64_t>(step), *best_);
}

bool RunCheckpoints::are_written_beside() const {
  const auto& checkpoint = config_.checkpoint;
  return checkpoint.every_steps || checkpoint.every_epochs || checkpoint.every ||
         checkpoint.keep_best != KeepBest::none;
}

// The memory of checkpoints beside the training is taken when it is known how large they are: the optimizer
// has its moments after a step. Where it is divided the size is not known before the first checkpoint.
void RunCheckpoints::after_step(std::chrono::steady_clock::duration taken) {
  if (!saver_) return;
  if (are_written_beside() && !memory_reserved_ && !config_.ddp.shard_optimizer) {
    saver_->reserve(source_.of_this_rank());
    memory_reserved_ = true;
  }
  saver_->after_step(taken);
}

void RunCheckpoints::settle() noexcept {
  if (saver_) saver_->settle(config_.collective_timeout);
}

}  // namespace ddp::trainer
