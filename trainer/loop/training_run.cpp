#include "trainer/loop/training_run.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <algorithm>
#include <stdexcept>

#include "jobenv/record/run_folder.hpp"
#include "trainer/loop/config_hash.hpp"
#include "trainer/loop/evaluation.hpp"
#include "trainer/loop/model_state.hpp"
#include "trainer/loop/rng_state.hpp"
#include "trainer/loop/shared_state.hpp"

namespace ddp::trainer {
namespace {

CheckpointStore open_checkpoints(const std::filesystem::path& run_dir, int attempt) {
  const RunFolder folder(run_dir);
  return CheckpointStore(folder.checkpoints(), attempt, [folder, attempt] {
    if (!std::filesystem::exists(folder.attempts())) return attempt;  // a folder that no head has claimed
    const auto highest = folder.highest_attempt();
    if (!highest) throw std::runtime_error(highest.error().message);
    return *highest;
  });
}

bool due(std::int64_t count, std::optional<std::int64_t> every) {
  return every && *every > 0 && count % *every == 0;
}

}  // namespace

TrainingRun::TrainingRun(TrainingJob job)
    : job_(std::move(job)), config_(job_.config), stop_(job_.group, job_.progress.stop_requested) {}

TrainingRun::~TrainingRun() = default;

Outcome TrainingRun::run() {
  prepare();
  const Outcome outcome = config_.mode == Mode::evaluate ? (evaluate_now(), Outcome::completed) : train();
  job_.group.barrier();
  if (outcome == Outcome::completed) job_.progress.phase.store(Phase::done, std::memory_order_relaxed);
  return outcome;
}

void TrainingRun::prepare() {
  open_outputs();
  build_model();
  if (config_.mode == Mode::train) open_train_data();
  if (config_.mode == Mode::evaluate || config_.checkpoint.resume == Resume::automatic) resume();
}

void TrainingRun::open_outputs() {
  if (!job_.run_dir.empty()) checkpoints_.emplace(open_checkpoints(job_.run_dir, job_.environment.attempt));
  if (!primary()) return;
  if (checkpoints_) {
    reporter_ = Reporter(RunFolder(job_.run_dir).metrics(), job_.environment.attempt);
  } else {
    reporter_ = Reporter(std::nullopt, job_.environment.attempt);
    reporter_.note("no run folder: neither checkpoints nor metrics.jsonl are written");
  }
}

// The order is that of a Python script, because each step draws from the same generator.
void TrainingRun::build_model() {
  torch::manual_seed(config_.seed);
  model_ = make_model(config_.model);
  model_->to(job_.device);
  strategy_ = make_strategy({.config = config_,
                             .group = job_.group,
                             .model = model_,
                             .make_replica = [this] { return make_model(config_.model); },
                             .device = job_.device});
  NamedTensors parameters;
  for (const auto& parameter : model_->named_parameters())
    parameters.emplace_back(parameter.key(), parameter.value());
  optimizer_ = make_optimizer(config_.optimizer, std::move(parameters));
  train_step_.emplace(*strategy_, *optimizer_);
}

void TrainingRun::open_train_data() {
  batches_.emplace(config_, strategy_->shards(), job_.device);
  const std::int64_t accumulated = config_.gradient_accumulation_steps;
  const std::int64_t steps_per_epoch = (batches_->per_epoch() + accumulated - 1) / accumulated;
  total_steps_ = config_.max_steps ? *config_.max_steps : *config_.epochs * steps_per_epoch;
}

void TrainingRun::resume() {
  const bool reads = checkpoints_ && primary();
  const auto passed_over = [this](const std::string& fault) { reporter_.note(fault); };
  const auto state = share_state(
      reads ? checkpoints_->load_newest_valid(passed_over) : std::optional<TrainingState>(), job_.group);
  if (!state) {
    if (config_.mode == Mode::evaluate) throw NoValidCheckpoint("there is no checkpoint to evaluate");
    if (job_.environment.attempt > 0) reporter_.note("there is no checkpoint: starting from the beginning");
    return;
  }
  try {
    load(*state);
  } catch (const std::invalid_argument& error) {
    throw CheckpointMismatch(error.what());
  }
  reporter_.note("resumed after step " + std::to_string(place_.step));
}

void TrainingRun::load(const TrainingState& state) {
  if (state.world_size != job_.group.size()) {
    throw std::invalid_argument("the checkpoint is one of " + std::to_string(state.world_size) +
                                " ranks, this run has " + std::to_string(job_.group.size()));
  }
  if (config_.mode == Mode::train && static_cast<std::int64_t>(state.position) > batches_->per_epoch()) {
    throw std::invalid_argument("the checkpoint stands after batch " + std::to_string(state.position) +
                                " of an epoch, which now has " + std::to_string(batches_->per_epoch()));
  }
  if (state.config_hash != config_hash(config_)) {
    reporter_.note("the configuration has changed since the checkpoint was written");
  }
  if (state.step > 0 && config_.mode == Mode::train) {
    batches_->start(0, 0);
    train_step_->rehearse(batches_->next());
  }
  load_model_state(*model_, state.model);
  optimizer_->load_state(state.optimizer);
  restore_rng(job_.device, state.rng.at(static_cast<std::size_t>(job_.group.rank())));
  place_ = {static_cast<std::int64_t>(state.step), static_cast<std::int64_t>(state.epoch),
            static_cast<std::int64_t>(state.position)};
  saved_ = place_;
  job_.progress.step.store(state.step, std::memory_order_relaxed);
}

Outcome TrainingRun::train() {
  reporter_.begin(report_place());
  while (place_.step < total_steps_) {
    if (train_epoch() == Outcome::stopped) return Outcome::stopped;
    if (place_.position == batches_->per_epoch()) finish_epoch();
  }
  finish_training();
  return Outcome::completed;
}

Outcome TrainingRun::train_epoch() {
  batches_->start(static_cast<std::uint64_t>(place_.epoch), place_.position);
  if (place_.position == 0) draw_loader_seed();
  while (place_.position < batches_->per_epoch() && place_.step < total_steps_) {
    train_step();
    if (due(place_.step, config_.log.every_steps) || place_.step == total_steps_) log();
    if (due(place_.step, config_.checkpoint.every_steps)) save();
    if (stop_.after_step() && place_.step < total_steps_) {
      save();
      reporter_.note("stopped on request after step " + std::to_string(place_.step));
      return Outcome::stopped;
    }
  }
  return Outcome::completed;
}

void TrainingRun::train_step() {
  const auto began = std::chrono::steady_clock::now();
  job_.progress.phase.store(Phase::step, std::memory_order_relaxed);
  const auto micro_batches = next_batches();
  const auto had_data = std::chrono::steady_clock::now();
  const auto passes = train_step_->run(micro_batches, config_.optimizer.get<double>("learning_rate"));
  place_.position += std::ssize(micro_batches);
  ++place_.step;
  job_.progress.step.store(static_cast<std::uint64_t>(place_.step), std::memory_order_relaxed);
  for (const PassResult& pass : passes) window_.add(pass.loss, pass.logits, pass.targets);
  times_.add(std::chrono::steady_clock::now() - began, had_data - began);
  reporter_.stepped(report_place());
}

/// Those of one step: at the end of an epoch there may be fewer.
std::vector<MicroBatch> TrainingRun::next_batches() {
  const auto count = std::min(config_.gradient_accumulation_steps, batches_->per_epoch() - place_.position);
  std::vector<MicroBatch> micro_batches;
  for (std::int64_t i = 0; i < count; ++i) micro_batches.push_back(batches_->next());
  return micro_batches;
}

void TrainingRun::finish_epoch() {
  const std::int64_t epochs_done = place_.epoch + 1;
  if (due(epochs_done, config_.evaluate.every_epochs)) evaluate_now();
  place_ = {place_.step, epochs_done, 0};
  if (due(epochs_done, config_.checkpoint.every_epochs)) save();
}

// An evaluation out of turn comes after the last checkpoint: who goes on from there sees the random numbers
// of a run that was longer from the start.
void TrainingRun::finish_training() {
  if (saved_ != place_) save();
  if (config_.evaluate.every_epochs > 0 && evaluated_step_ != place_.step) evaluate_now();
}

void TrainingRun::evaluate_now() {
  job_.progress.phase.store(Phase::evaluate, std::memory_order_relaxed);
  if (!test_data_) test_data_ = make_dataset(config_.data.source, Split::test, config_.seed);
  strategy_->share_model();
  draw_loader_seed();
  const Totals totals = evaluate(*model_, *test_data_, loader_options(config_, job_.device), job_.group);
  reporter_.evaluated(report_place(), totals);
  evaluated_step_ = place_.step;
}

void TrainingRun::save() {
  if (!checkpoints_) return;
  const auto began = std::chrono::steady_clock::now();
  job_.progress.phase.store(Phase::checkpoint, std::memory_order_relaxed);
  const TrainingState now = state();
  if (primary()) checkpoints_->save(now, config_.checkpoint.keep);
  saved_ = place_;
  const auto taken =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began).count();
  job_.progress.checkpoint_milliseconds.store(static_cast<std::uint32_t>(taken), std::memory_order_relaxed);
}

TrainingState TrainingRun::state() {
  strategy_->share_model();
  return {.step = static_cast<std::uint64_t>(place_.step),
          .epoch = static_cast<std::uint64_t>(place_.epoch),
          .position = static_cast<std::uint64_t>(place_.position),
          .seed = config_.seed,
          .world_size = job_.group.size(),
          .config_hash = config_hash(config_),
          .model = model_state(*model_),
          .optimizer = optimizer_->state(),
          .rng = job_.group.all_gather(capture_rng(job_.device))};
}

void TrainingRun::log() {
  reporter_.trained(report_place(), {.totals = sum_over_ranks(window_.sum(), job_.group),
                                     .times = times_.summary(),
                                     .learning_rate = config_.optimizer.get<double>("learning_rate")});
  window_ = {};
  times_ = {};
}

ReportPlace TrainingRun::report_place() const {
  const std::int64_t epoch = place_.position == 0 && place_.step > 0 ? place_.epoch : place_.epoch + 1;
  return {place_.step, total_steps_, epoch};
}

}  // namespace ddp::trainer
