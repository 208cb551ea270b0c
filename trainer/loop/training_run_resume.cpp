#include <algorithm>

#include "trainer/loop/run_store.hpp"
#include "trainer/loop/state/config_change.hpp"
#include "trainer/loop/state/model_state.hpp"
#include "trainer/loop/state/resumption.hpp"
#include "trainer/loop/state/rng_state.hpp"
#include "trainer/loop/state/shared_state.hpp"
#include "trainer/loop/training_run.hpp"

// How a run goes on from a checkpoint.
namespace ddp::trainer {
namespace {

bool falls_until_the_end(const std::optional<Component>& schedule) {
  return schedule && (schedule->name == "cosine" || schedule->name == "linear");
}

/// `settings` as list_settings() gives them.
bool have_schedule(const std::vector<std::string>& settings, const Component& schedule) {
  return std::ranges::find(settings, "train.schedule.name: " + schedule.name) != settings.end();
}

}  // namespace

TrainingRun::Resumed TrainingRun::resume() {
  const auto state =
      share_state(primary() ? read_checkpoint_to_resume(job_, reporter_) : std::nullopt, job_.group);
  if (!state) return Resumed::no;
  if (config_.mode == Mode::train && state->step > 0) settle_buckets(*state);
  try {
    load(*state);
  } catch (const std::invalid_argument& error) {
    throw CheckpointMismatch(error.what() + advice(*state));
  }
  reporter_.note(resumption_of(*state));
  return Resumed::yes;
}

/// What to do about a checkpoint that does not fit; checkpoint.resume has no say in one that was named.
std::string TrainingRun::advice(const TrainingState& state) const {
  if (state.of_another_run) {
    return "\nit is the one of train.checkpoint.path: '" + *config_.checkpoint.path +
           "'; use the configuration it was written with, or name another";
  }
  return std::string("\nuse the configuration it was written with, or ") +
         (config_.mode == Mode::evaluate ? "name another checkpoint: checkpoint.path"
                                         : "set checkpoint.resume: never");
}

void TrainingRun::load(const TrainingState& state) {
  const bool trains = config_.mode == Mode::train;
  if (trains) {
    if (const auto change = describe_config_change(state.settings, job_.settings); !change.empty())
      reporter_.note(change);
  }
  load_model_state(*model_, state.model);
  if (trains) {
    optimizer_->load_state(state.optimizer);
    train_step_->load_state(state.extra);
  }
  load_rng(state);
  load_place(state);
  checkpoints_->start_from(state, course_.place());
  job_.progress.step.store(state.step, std::memory_order_relaxed);
}

void TrainingRun::settle_buckets(const TrainingState& state) {
  batches_->start(0, 0);
  const MicroBatch micro_batch = batches_->next();
  const std::uint64_t settled_after = config_.ddp.static_graph ? 2 : 1;
  for (std::uint64_t i = 0; i < std::min(state.step, settled_after); ++i)
    train_step_->settle_buckets(micro_batch);
  (void)strategy_->take_own_time();  // which was of no step
}

void TrainingRun::load_place(const TrainingState& state) {
  TrainingPlace place{static_cast<std::int64_t>(state.step), static_cast<std::int64_t>(state.epoch),
                      static_cast<std::int64_t>(state.position)};
  if (config_.mode == Mode::train)
    place.position = convert_position(place.position, shape_of(state), batches_->shape());
  course_.go_on_from(place);
}

/// A rank or a kind of device that the checkpoint knows nothing of gets a stream of its own.
void TrainingRun::load_rng(const TrainingState& state) {
  const auto rank = static_cast<std::size_t>(job_.group.rank());
  if (rank < state.rng.size() && fits_rng(job_.device, state.rng[rank])) {
    restore_rng(job_.device, state.rng[rank]);
  } else {
    seed_rng(config_.seed, job_.group.rank(), state.step);
  }
}

std::int64_t TrainingRun::batch_size_of(const TrainingState& state) const {
  if (state.batch_size > 0) return state.batch_size;
  const auto& global = config_.data.global_batch_size;
  return global ? *global / state.world_size : config_.data.batch_size;
}

EpochShape TrainingRun::shape_of(const TrainingState& state) const {
  EpochShape shape = batches_->shape();
  shape.shards = state.shards > 0 ? state.shards : state.world_size;
  shape.batch_size = batch_size_of(state);
  return shape;
}

std::string TrainingRun::resumption_of(const TrainingState& state) const {
  Resumption resumption{.step = course_.place().step};
  if (config_.mode == Mode::evaluate) resumption.purpose = Purpose::evaluation;
  if (state.of_another_run) resumption.path = config_.checkpoint.path;
  if (config_.mode == Mode::train) {
    resumption.sharing = {shape_of(state), batches_->shape()};
    resumption.generators = state.world_size == job_.group.size() && !state.rng.empty() &&
                                    fits_rng(job_.device, state.rng.front())
                                ? Generators::restored
                                : Generators::new_ones;
    const auto& schedule = config_.schedule;
    if (falls_until_the_end(schedule) && have_schedule(state.settings, *schedule))
      resumption.decay = {.before = state.total_steps, .now = course_.total_steps()};
  }
  return describe_resumption(resumption);
}

}  // namespace ddp::trainer
