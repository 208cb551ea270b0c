#include "cli/rehearsal/rehearsal_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddp::cli {
namespace {

constexpr int kRanks = 2;
constexpr std::int64_t kCheckpoints = 10;
constexpr std::int64_t kRecords = 100;    // of metrics.jsonl: how exactly a step is met
constexpr std::size_t kLongestName = 40;  // room for what is put behind it

Error refusal(std::string message, std::string hint) {
  return {ExitCode::config_invalid, std::move(message), std::move(hint)};
}

/// A GPU for each rank, or none at all.
void fit_to_machine(RunSpec& spec, const MachineResources& machine) {
  auto& train = *spec.train;
  const int needed = count_copies(train, spec.resources.tasks_per_node);
  const bool wants_gpus = spec.resources.gpus_per_node > 0;
  spec.resources.gpu_type.reset();
  spec.resources.gpus_per_node = wants_gpus && machine.gpus >= needed ? needed : 0;
  if (train.device != trainer::Device::automatic || machine.gpus >= needed) return;
  train.device = trainer::Device::cpu;
  if (spec.rendezvous.backend == "nccl") spec.rendezvous.backend = "auto";
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
  if (!spec.train)
    return refusal("a command: has no steps and no checkpoints that ddpsubmit could compare",
                   "rehearse a train: configuration; for a command: run it at small scale, kill one of its "
                   "ranks, and compare its results");
  if (spec.train->mode != trainer::Mode::train)
    return refusal("train.mode is evaluate: there is nothing to go on with after a failure",
                   "rehearse the training: train.mode=train");
  if (spec.train->checkpoint.resume == trainer::Resume::never)
    return refusal("train.checkpoint.resume is never: after a stop or a failure the training begins anew",
                   "rehearse with train.checkpoint.resume=auto, and run with it");
  if (has_replicas(*spec.train) && ranks.value_or(1) != 1)
    return Error{ExitCode::usage,
                 fmt::format("train.strategy data_parallel is one process, and --ranks is {}", *ranks),
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
  small.rendezvous.interface = "auto";
  small.resources.nodes = 1;
  small.resources.tasks_per_node = ranks;
  small.resources.memory_bytes.reset();
  small.resources.time.reset();
  small.fault_tolerance.requeue = false;
  auto& train = *small.train;
  train.data.global_batch_size.reset();  // batch_size has what a rank gets of it
  train.evaluate.every_epochs = 0;
  train.checkpoint.keep_best = trainer::KeepBest::none;
  train.checkpoint.path.reset();
  fit_to_machine(small, machine);
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

RunSpec make_rehearsal_spec(RunSpec small, std::int64_t steps) {
  auto& train = *small.train;
  train.epochs.reset();
  train.max_steps = steps;
  shorten_schedule(train, steps);
  train.checkpoint.every_epochs.reset();
  train.checkpoint.every.reset();
  train.checkpoint.every_steps = std::max<std::int64_t>(1, steps / kCheckpoints);
  train.log.every_steps = std::max<std::int64_t>(1, steps / kRecords);
  small.fault_tolerance.max_restarts = std::max(1, small.max_restarts());
  return small;
}

}  // namespace ddp::cli
