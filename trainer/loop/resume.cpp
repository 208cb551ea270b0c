#include "trainer/loop/resume.hpp"

#include <ATen/ATen.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/manifest_file.hpp"
#include "trainer/config/component_schema.hpp"
#include "trainer/loop/found_checkpoint.hpp"
#include "trainer/loop/state/config_change.hpp"
#include "trainer/loop/state/resumption.hpp"
#include "trainer/loop/state/rng_state.hpp"

namespace ddp::trainer {
namespace {

bool trains(const NewRun& run) {
  return run.job.config.mode == Mode::train;
}

/// What to do about a checkpoint that does not fit; checkpoint.resume has no say in one that was named.
std::string advice_on(const TrainingState& state, const TrainConfig& config) {
  if (state.of_another_run) {
    return "\ntrain.checkpoint.path is '" + *config.checkpoint.path +
           "'; use the configuration that this checkpoint was written with, or set another path";
  }
  return std::string("\nuse the configuration that the checkpoint was written with, or ") +
         (config.mode == Mode::evaluate ? "set train.checkpoint.path to another checkpoint"
                                        : "set train.checkpoint.resume: never");
}

/// A resumed run has the buckets of later steps from its first step on, as the run before it had.
void settle_buckets(const TrainingState& state, const NewRun& run) {
  const auto first_passes = static_cast<std::uint64_t>(run.model.strategy().first_passes());
  if (first_passes == 0) return;
  run.batches->start(0, 0);
  const MicroBatch micro_batch = run.batches->next();
  for (std::uint64_t i = 0; i < std::min(state.step, first_passes); ++i)
    run.model.train_step().settle_buckets(micro_batch);
  (void)run.model.strategy().take_own_time();  // which was of no step
}

void load_tensors(const FoundCheckpoint& found, const NewRun& run) {
  const auto& [state, files] = found;
  if (files)
    run.model.strategy().read_model_state(files->model());
  else
    run.model.strategy().load_model_state(state.model);
  if (!trains(run)) return;
  if (files)
    run.model.optimizer().read_state(files->optimizer());
  else
    run.model.optimizer().load_state(state.optimizer);
  run.model.train_step().load_state(state.extra);
}

/// A run whose checkpoints go faster than they are read.
constexpr int kMostChoices = 8;
constexpr const char* kAdvice = "\nraise train.checkpoint.keep of the run that writes it, or copy it first";

/// What became of reading the files of a checkpoint. The greater value counts for all ranks.
enum class Reading : std::int64_t { done, deleted, failed };

/// The same on all ranks that do not throw. A rank throws when it cannot read for another reason than a
/// deletion, or because of a deletion when another rank cannot. A collective where each rank reads files.
Reading read_tensors(const FoundCheckpoint& found, const NewRun& run) {
  if (!found.files) {
    load_tensors(found, run);
    return Reading::done;
  }
  Reading own = Reading::done;
  std::exception_ptr error;
  try {
    load_tensors(found, run);
  } catch (const std::exception&) {
    error = std::current_exception();
    own = found.files->is_deleted() ? Reading::deleted : Reading::failed;
  }
  // Another checkpoint may have taken its place, and its files have the same form.
  if (own == Reading::done && found.files->is_deleted()) own = Reading::deleted;
  torch::Tensor greatest = at::full({1}, static_cast<std::int64_t>(own), at::kLong);
  run.job.group.all_reduce(greatest, ReduceOp::max);
  const auto all = static_cast<Reading>(greatest.item<std::int64_t>());
  if (all != Reading::failed) return all;
  if (own == Reading::deleted) throw std::runtime_error(describe_deletion(found.files->folder()));
  if (error) std::rethrow_exception(error);
  return all;
}

/// In place of `deleted`, whose tensors the next ones replace. A collective.
FoundCheckpoint find_another(const FoundCheckpoint& deleted, const NewRun& run) {
  const std::string what = describe_deletion(deleted.files->folder());
  run.reporter.note(what + "; another one is chosen");
  try {
    auto found = find_checkpoint_to_resume(run.job, Held::share, run.reporter);
    if (found) return std::move(*found);
  } catch (const NoValidCheckpoint& none) {
    throw NoValidCheckpoint(what + "\n" + none.what());
  }
  throw NoValidCheckpoint(what + ", and the run has no other one" + kAdvice);
}

/// A rank or a kind of device that the checkpoint knows nothing of gets a stream of its own.
void load_rng(const TrainingState& state, const TrainingJob& job) {
  const auto rank = static_cast<std::size_t>(job.group.rank());
  if (rank < state.rng.size() && fits_rng(job.device, state.rng[rank])) {
    restore_rng(job.device, state.rng[rank]);
  } else {
    seed_rng(job.config.seed, job.group.rank(), state.step);
  }
}

/// How the epochs of `state` were shared out.
EpochShape shape_of(const TrainingState& state, const NewRun& run) {
  EpochShape shape = run.batches->shape();
  shape.shards = state.shards > 0 ? state.shards : state.world_size;
  shape.batch_size = state.batch_size;
  return shape;
}

void load_place(const TrainingState& state, const NewRun& run) {
  TrainingPlace place{static_cast<std::int64_t>(state.step), static_cast<std::int64_t>(state.epoch),
                      static_cast<std::int64_t>(state.position)};
  if (trains(run))
    place.position = convert_position(place.position, shape_of(state, run), run.batches->shape());
  run.course.go_on_from(place);
}

void tell_config_change(const TrainingState& state, const NewRun& run) {
  const auto change = describe_config_change(state.settings, run.job.settings);
  if (!change.empty()) run.reporter.note(change);
}

/// All but the tensors of the model and the optimizer.
void load_rest(const TrainingState& state, const NewRun& run) {
  load_rng(state, run.job);
  load_place(state, run);
  run.checkpoints.start_from(state, run.course.place());
  run.job.progress.step.store(state.step, std::memory_order_relaxed);
}

Reading load(const FoundCheckpoint& found, const NewRun& run) try {
  if (trains(run)) tell_config_change(found.state, run);
  const Reading reading = read_tensors(found, run);
  if (reading != Reading::deleted) load_rest(found.state, run);
  return reading;
} catch (const std::invalid_argument& error) {
  throw CheckpointMismatch(error.what() + advice_on(found.state, run.job.config));
}

bool falls_until_the_end(const std::optional<Component>& schedule) {
  return schedule && (schedule->name == "cosine" || schedule->name == "linear");
}

/// `settings` as list_settings() gives them.
bool have_schedule(const std::vector<std::string>& settings, const Component& schedule) {
  return std::ranges::find(settings, "train.schedule.name: " + schedule.name) != settings.end();
}

Generators generators_of(const TrainingState& state, const TrainingJob& job) {
  return state.world_size == job.group.size() && !state.rng.empty() && fits_rng(job.device, state.rng.front())
             ? Generators::restored
             : Generators::new_ones;
}

Dropout dropout_of(const Component& model) {
  const ComponentSchema* schema = find_schema(bundled_schemas().models, model.name);
  return schema && schema->dropout == ComponentSchema::Dropout::none ? Dropout::none : Dropout::maybe;
}

Resumption resumption_of(const TrainingState& state, const NewRun& run) {
  const TrainConfig& config = run.job.config;
  Resumption resumption{.step = run.course.place().step};
  if (!state.libtorch.empty()) resumption.libtorch = {.before = state.libtorch, .now = TORCH_VERSION};
  if (state.of_another_run) resumption.path = config.checkpoint.path;
  if (!trains(run)) {
    resumption.purpose = Purpose::evaluation;
    return resumption;
  }
  resumption.sharing = {shape_of(state, run), run.batches->shape()};
  resumption.generators = generators_of(state, run.job);
  resumption.dropout = dropout_of(config.model);
  if (falls_until_the_end(config.schedule) && have_schedule(state.settings, *config.schedule))
    resumption.decay = {.before = state.total_steps, .now = run.course.total_steps()};
  return resumption;
}

}  // namespace

Resumed resume(const NewRun& run) {
  auto found = find_checkpoint_to_resume(run.job, run.model.strategy().parameters_held(), run.reporter);
  if (!found) return Resumed::no;
  if (trains(run) && found->state.step > 0) settle_buckets(found->state, run);
  Reading reading = load(*found, run);
  for (int choices = 1; reading == Reading::deleted; ++choices) {
    if (choices == kMostChoices) throw NoValidCheckpoint(describe_deletion(found->files->folder()) + kAdvice);
    found = find_another(*found, run);
    reading = load(*found, run);
  }
  // Where another rank has failed, this one ends in its next collective.
  if (reading == Reading::done) run.reporter.note(describe_resumption(resumption_of(found->state, run)));
  return Resumed::yes;
}

}  // namespace ddp::trainer
