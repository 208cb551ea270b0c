#include "cli/rehearsal/rehearsal_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ddp::cli {
namespace {

constexpr int kRanks = 2;
constexpr std::int64_t kCheckpoints = 10;
constexpr std::int64_t kRecords = 100;    // of metrics.jsonl: how exactly a step is met
constexpr std::size_t kLongestName = 40;  // room for what is put behind it

Error refusal(std::string message, std::string hint) {
  return {ExitCode::config_invalid, std::move(message), std::move(hint)};
}

/// What so many ranks need, each as many as one of the job has.
int needed_gpus(const RunSpec& job, int ranks) {
  if (job.train) return count_copies(*job.train, ranks);
  return ranks * std::max(1, job.resources.gpus_per_node / job.resources.tasks_per_node);
}

/// GPUs for all ranks, or none at all.
void fit_gpus(RunSpec& small, int needed, const MachineResources& machine) {
  const bool wants_gpus = small.resources.gpus_per_node > 0;
  small.resources.gpu_type.reset();
  small.resources.gpus_per_node = wants_gpus && machine.gpus >= needed ? needed : 0;
  if (!small.train || small.train->device != trainer::Device::automatic || machine.gpus >= needed) return;
  small.train->device = trainer::Device::cpu;
  if (small.rendezvous.backend == "nccl") small.rendezvous.backend = "auto";
}

/// Fewer ranks may not make whole groups of the strategy hsdp; then all of them are one group.
void fit_strategy(trainer::TrainConfig& train, int ranks) {
  const auto shard = train.strategy.options.find("shard");
  if (shard == train.strategy.options.end()) return;
  auto* size = std::get_if<std::int64_t>(&shard->second);
  if (size && *size > 0 && ranks % *size != 0) *size = 0;
}

void fit_training(trainer::TrainConfig& train) {
  train.data.global_batch_size.reset();  // batch_size has what a rank gets of it
  train.evaluate.every_epochs = 0;
  train.checkpoint.keep_best = trainer::KeepBest::none;
  train.checkpoint.path.reset();
}

void shorten_schedule(trainer::TrainConfig& train, std::int64_t steps) {
  if (!train.schedule) return;
  const auto warmup = train.schedule->options.find("warmup_steps");
  if (warmup == train.schedule->options.end()) return;
  auto* warmup_steps = std::get_if<std::int64_t>(&warmup->second);
  if (warmup_steps && *warmup_steps >= steps) *warmup_steps = steps / 2;
}

}  // namespace

std::optional<Error> find_unrehearsable(const RunSpec& spec, std::optional<int> ranks) {
  if (!spec.train) return std::nullopt;
  if (spec.train->mode != trainer::Mode::train)
    return refusal("train.mode is evaluate: there is no training to resume after a failure",
                   "rehearse the training: train.mode=train");
  if (spec.train->checkpoint.resume == trainer::Resume::never)
    return refusal(
        "train.checkpoint.resume is never: after a stop or a failure the training starts from the beginning",
        "set train.checkpoint.resume=auto for the rehearsal and for the run");
  if (has_replicas(*spec.train) && ranks.value_or(1) != 1)
    return Error{ExitCode::usage,
                 fmt::format("train.strategy {} uses one process, but --ranks is {}",
                             spec.train->strategy.name, *ranks),
                 "leave out --ranks"};
  return std::nullopt;
}

int default_ranks(const RunSpec& spec) {
  return std::min(kRanks, spec.world_size());
}

RunSpec make_small_spec(const RunSpec& spec, int ranks, const MachineResources& machine) {
  RunSpec small = spec;
  small.name = spec.name.substr(0, kLongestName);
  small.launcher = &launcher_here();
  small.sections = {};
  small.sweep.clear();
  small.points.clear();
  small.notify = {};
  small.rendezvous.interface = "auto";
  small.resources.nodes = 1;
  small.resources.tasks_per_node = ranks;
  small.resources.memory_bytes.reset();
  small.resources.time.reset();
  small.fault_tolerance.requeue = false;
  if (small.train) {
    fit_training(*small.train);
    fit_strategy(*small.train, ranks);
  }
  fit_gpus(small, needed_gpus(spec, ranks), machine);
  return small;
}

RunSpec make_pace_spec(RunSpec small) {
  small.name += "-pace";
  auto& train = *small.train;
  train.epochs = 1;
  train.max_steps.reset();
  train.schedule.reset();
  train.checkpoint = {};
  train.log.every_steps = 1;
  return small;
}

RunSpec make_rehearsal_spec(RunSpec small) {
  small.fault_tolerance.max_restarts = std::max(1, small.max_restarts());
  return small;
}

RunSpec make_rehearsal_spec(RunSpec small, std::int64_t steps) {
  auto& train = *small.train;
  train.epochs.reset();
  train.max_steps = steps;
  shorten_schedule(train, steps);
  train.checkpoint.every_epochs.reset();
  train.checkpoint.every.reset();
  train.checkpoint.every_steps = std::max<std::int64_t>(1, steps / kCheckpoints);
  train.log.every_steps = std::max<std::int64_t>(1, steps / kRecords);
  return make_rehearsal_spec(std::move(small));
}

}  // namespace ddp::cli
