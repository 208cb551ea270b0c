#include "trainer/loop/training_run.hpp"

#include <chrono>
#include <sstream>
#include <string>
#include <utility>

#include "jobenv/record/run_folder.hpp"
#include "trainer/loop/open_data.hpp"
#include "trainer/loop/run_start.hpp"
#include "trainer/loop/state/rng_state.hpp"
#include "trainer/loop/step/non_finite.hpp"

namespace ddp::trainer {
namespace {

std::string describe_scaling(double chosen, double scaled, std::int64_t global_batch_size) {
  std::ostringstream text;
  text << "learning rate scaled from " << chosen << " to " << scaled << " for a global batch size of "
       << global_batch_size;
  return text.str();
}

std::chrono::nanoseconds time_of_forward(const std::vector<PassResult>& passes) {
  std::chrono::nanoseconds sum{};
  for (const PassResult& pass : passes) sum += pass.forward;
  return sum;
}

}  // namespace

TrainingRun::TrainingRun(TrainingJob job)
    : job_(std::move(job)),
      config_(job_.config),
      model_(job_),
      course_(config_),
      checkpoints_(job_, reporter_, StateSource(job_, model_, course_)),
      evaluations_(job_, model_, reporter_),
      window_(job_),
      stop_(
          job_.group, [&page = job_.progress] { return is_asked_to_stop(page, AtStake::steps); },
          config_.checkpoint.every) {}

Outcome TrainingRun::run() {
  prepare();
  const Outcome outcome = config_.mode == Mode::evaluate ? evaluate_now(AtStake::nothing) : train();
  job_.group.barrier();
  if (outcome == Outcome::completed) job_.progress.enter(Phase::done);
  return outcome;
}

void TrainingRun::prepare() {
  open_outputs();
  if (config_.tf32 && !job_.device.is_cuda())
    reporter_.note("train.tf32 has no effect: this run is on the CPU");
  model_.build();
  if (config_.mode == Mode::train) {
    checkpoints_.open(model_.strategy());
    open_train_data();
  }
  start_run({job_, reporter_, model_, batches_ ? &*batches_ : nullptr, course_, checkpoints_});
}

void TrainingRun::open_outputs() {
  if (job_.group.rank() != 0) return;
  if (!job_.run_dir.empty()) {
    const int attempt = job_.environment.attempt;
    reporter_ = Reporter(open_metrics_sinks({job_.run_dir, attempt, config_.log.tensorboard}), attempt);
  } else {
    reporter_ = Reporter({}, job_.environment.attempt);
    reporter_.note("no run folder: neither checkpoints nor metrics.jsonl are written");
  }
}

void TrainingRun::open_train_data() {
  batches_.emplace(open_data(config_, Split::train, job_.own.datasets, job_.group), config_,
                   model_.strategy().shards(), job_.device);
  // Now, so that what is wrong with it does not come out after an epoch.
  if (config_.evaluate.every_epochs > 0) evaluations_.open_test_data();
  course_.set_batches_per_epoch(batches_->per_epoch());
}

// When the number of steps is known, which a checkpoint may change.
void TrainingRun::make_schedule() {
  const std::int64_t global_batch_size =
      config_.data.batch_size * model_.strategy().shards().count * config_.gradient_accumulation_steps;
  const double chosen = config_.optimizer.get<double>("learning_rate");
  const double scaled = scaled_learning_rate(chosen, config_.schedule, global_batch_size);
  schedule_.emplace(config_.schedule, scaled, course_.total_steps());
  job_.progress.total_steps = static_cast<std::uint64_t>(course_.total_steps());
  if (scaled != chosen) reporter_.note(describe_scaling(chosen, scaled, global_batch_size));
}

Outcome TrainingRun::train() {
  make_schedule();
  if (course_.is_done() && !course_.epoch_is_done()) reporter_.note(course_.nothing_left());
  reporter_.begin(report_place());
  // Where a stop came before its evaluation.
  if (course_.epoch_is_done() && finish_step(CheckpointDue::no) == Outcome::stopped) return Outcome::stopped;
  while (!course_.is_done()) {
    if (train_epoch() == Outcome::stopped) return Outcome::stopped;
  }
  return finish_training();
}

Outcome TrainingRun::train_epoch() {
  const auto [step, epoch, position] = course_.place();
  batches_->start(static_cast<std::uint64_t>(epoch), position);
  if (position == 0) draw_loader_seed();
  while (course_.place().epoch == epoch && !course_.is_done()) {
    trained_.start(Clock::now());
    train_step();
    model_.strategy().verify(course_.place().step);
    if (due(course_.place().step, config_.log.every_steps) || course_.is_done()) log();
    const Agreement agreed = stop_.after_step();
    trained_.stop(Clock::now());
    if (agreed.stop && !course_.is_done()) return stop();
    if (finish_step(agreed.checkpoint ? CheckpointDue::yes : CheckpointDue::no) == Outcome::stopped)
      return Outcome::stopped;
  }
  return Outcome::completed;
}

Outcome TrainingRun::stop() {
  checkpoints_.save_for_good(course_.place(), report_place());
  reporter_.note("stopped on request after step " + std::to_string(course_.place().step));
  return Outcome::stopped;
}

void TrainingRun::train_step() {
  const auto began = Clock::now();
  job_.progress.enter(Phase::step);
  const auto micro_batches = next_batches();
  const auto had_data = Clock::now();
  const auto passes = model_.train_step().accumulate(micro_batches);
  const auto had_gradients = Clock::now();
  if (checks_now()) check_finite(passes, micro_batches, model_.strategy(), course_.place().step + 1);
  const double learning_rate = schedule_->learning_rate(course_.place().step, course_.place().epoch);
  const auto waited = await_copy();
  const auto update_began = Clock::now();
  const torch::Tensor gradient_norm = model_.train_step().update(learning_rate);
  const auto updated = Clock::now();
  course_.finish_step(std::ssize(micro_batches));
  job_.progress.finish_step(static_cast<std::uint64_t>(course_.place().step));
  window_.add(passes, {learning_rate, gradient_norm});
  const auto taken = Clock::now() - began - waited;
  const auto forward = time_of_forward(passes) / model_.strategy().shards().mine;
  window_.add({.total = taken,
               .data_wait = had_data - began,
               .forward = forward,
               .backward = had_gradients - had_data - forward,
               .update = updated - update_began});
  reporter_.stepped(report_place());
  if (!std::exchange(has_stepped_, true)) tell_first_step();
  checkpoints_.after_step(taken);
}

/// Waits until the state of a checkpoint is copied. Returns how long that took, which is no time of the step.
TrainingRun::Clock::duration TrainingRun::await_copy() {
  const auto began = Clock::now();
  trained_.stop(began);
  checkpoints_.await_copy();
  const auto ended = Clock::now();
  trained_.start(ended);
  return ended - began;
}

void TrainingRun::tell_first_step() {
  window_.await_device();
  reporter_.first_step(report_place());
}

/// On CUDA a look at the loss would wait for the device: there it is taken with the progress lines only.
/// The first scales of float16 are too large: its scaler leaves such updates out, and goes on.
bool TrainingRun::checks_now() const {
  if (config_.precision == Precision::fp16) return false;
  return job_.device.is_cpu() || due(course_.place().step + 1, config_.log.every_steps);
}

std::vector<MicroBatch> TrainingRun::next_batches() {
  const std::int64_t count = course_.batches_of_next_step();
  std::vector<MicroBatch> micro_batches;
  for (std::int64_t i = 0; i < count; ++i) micro_batches.push_back(batches_->next());
  return micro_batches;
}

/// One checkpoint at most, after the evaluation: whoever goes on from there does not have to evaluate first.
Outcome TrainingRun::finish_step(CheckpointDue by_the_clock) {
  if (course_.epoch_is_done()) {
    if (evaluate_now(AtStake::steps) == Outcome::stopped) return stop();
    course_.begin_next_epoch();
  }
  const bool ends_epoch = course_.place().position == 0;
  if (by_the_clock == CheckpointDue::yes || checkpoints_.owes_best() ||
      due(course_.place().step, config_.checkpoint.every_steps) ||
      (ends_epoch && due(course_.place().epoch, config_.checkpoint.every_epochs))) {
    stop_.checkpointed();
    checkpoints_.save(course_.place(), report_place());
  }
  return Outcome::completed;
}

// An evaluation out of turn comes after the last checkpoint: who goes on from there sees the random numbers
// of a run that was longer from the start.
Outcome TrainingRun::finish_training() {
  check_finite_parameters(model_.strategy(), course_.place().step, job_.group);
  checkpoints_.save_for_good(course_.place(), report_place());
  Outcome outcome = Outcome::completed;
  if (config_.evaluate.every_epochs > 0 && !evaluations_.were_after(course_.place().step))
    outcome = evaluate_now(AtStake::nothing);
  checkpoints_.pin_best(course_.place().step);
  return outcome;
}

Outcome TrainingRun::evaluate_now(AtStake at_stake) {
  const auto totals = evaluations_.evaluate_at(report_place(), at_stake);
  if (!totals) return Outcome::stopped;
  if (config_.mode == Mode::train) checkpoints_.note_score(*totals);
  return Outcome::completed;
}

void TrainingRun::log() {
  const TrainReport report = window_.close(model_.strategy());
  reporter_.trained(report_place(), report);
  if (const auto straggler = window_.find_straggler(report)) reporter_.note("WARNING: " + *straggler);
}

ReportPlace TrainingRun::report_place() const {
  const auto [step, epoch, position] = course_.place();
  const std::int64_t reported = position == 0 && step > 0 ? epoch : epoch + 1;
  return {step, course_.total_steps(), reported, trained_.total(Clock::now())};
}

}  // namespace ddp::trainer
