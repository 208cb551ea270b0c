#include "cli/spec/spec_warnings.hpp"

#include <fmt/format.h>

#include "cli/spec/command_args.hpp"
#include "cli/spec/command_warnings.hpp"
#include "jobenv/config/diagnostic.hpp"
#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

/// Nobody knows yet whether the program asks for stops. `none` is somebody's choice.
bool may_end_at_time_limit(const RunSpec& spec) {
  return spec.launcher->traits.time_limit == TimeLimitBy::scheduler && !spec.train &&
         spec.fault_tolerance.requeue && spec.fault_tolerance.signal == "auto";
}

/// A node that is lost leaves no time for the checkpoint that a stop writes.
bool may_lose_all_steps(const RunSpec& spec) {
  const bool goes_on_without_it =
      spec.fault_tolerance.requeue || (spec.launcher->traits.agents_return && spec.resources.nodes > 1);
  if (!spec.train || !goes_on_without_it) return false;
  const auto& checkpoint = spec.train->checkpoint;
  return !checkpoint.every_epochs && !checkpoint.every_steps && !checkpoint.every;
}

/// False for trainings on CPUs or with a backend other than NCCL. Replicas do not count as ranks.
bool share_gpus(const RunSpec& spec) {
  const auto& resources = spec.resources;
  if (resources.gpus_per_node == 0 || resources.tasks_per_node <= resources.gpus_per_node) return false;
  return !spec.train || (spec.train->device != trainer::Device::cpu && !has_replicas(*spec.train) &&
                         !is_fully_sharded(*spec.train) && spec.rendezvous.backend != "gloo" &&
                         spec.rendezvous.backend != "mpi");
}

std::string explain_shared_gpus(const RunSpec& spec) {
  const auto& resources = spec.resources;
  auto mark = spec.origins.mark("resources.tasks_per_node");
  if (!mark) mark = spec.origins.mark("resources.gpus_per_node");
  return fmt::format(
      "{0}{1} ranks per node share {2} GPU{3}, but NCCL refuses two ranks on one GPU; set "
      "resources.tasks_per_node: {2}, one rank for each GPU, or resources.gpus_per_node: {1}",
      mark ? render_place(*mark) + ": " : "", resources.tasks_per_node, resources.gpus_per_node,
      resources.gpus_per_node == 1 ? "" : "s");
}

bool shards_one_block(const RunSpec& spec) {
  return spec.train && is_fully_sharded(*spec.train) && spec.ranks_of_shard_group() > 1 &&
         spec.model_has_no_blocks();
}

std::string explain_one_block(const RunSpec& spec) {
  const auto mark = spec.origins.mark("train.strategy");
  return fmt::format(
      "{0}the model '{1}' has no blocks, so strategy {2} saves little: every rank holds all parameters and "
      "gradients during forward and backward; use a model with blocks, such as resnet18 or one of your own "
      "(docs/sharding.md), or strategy: ddp with ddp.shard_optimizer: true",
      mark ? render_place(*mark) + ": " : "", spec.train->model.name, spec.train->strategy.name);
}

/// A rank on a GPU is refused, and `auto` takes the CPU.
bool leaves_gpus_idle(const RunSpec& spec) {
  return spec.resources.gpus_per_node > 0 && spec.train && is_fully_sharded(*spec.train) &&
         spec.train->device == trainer::Device::automatic;
}

std::string explain_idle_gpus(const RunSpec& spec) {
  const auto mark = spec.origins.mark("resources.gpus_per_node");
  return fmt::format(
      "{0}resources.gpus_per_node is {1}, but strategy {2} runs on CPUs only in this version: the GPUs are "
      "reserved and not used; remove resources.gpus_per_node, or use strategy: ddp",
      mark ? render_place(*mark) + ": " : "", spec.resources.gpus_per_node, spec.train->strategy.name);
}

/// "train.hsdp.shard" if it has been set, otherwise "train.strategy".
std::string place_of_groups(const RunSpec& spec) {
  auto mark = spec.origins.mark("train.hsdp.shard");
  if (!mark) mark = spec.origins.mark("train.strategy");
  return mark ? render_place(*mark) + ": " : "";
}

/// Why the groups of hsdp make no difference to another strategy; empty: they do.
std::string explain_groups(const RunSpec& spec) {
  const int world_size = spec.world_size();
  if (world_size == 1 || !spec.train || spec.train->strategy.name != "hsdp") return {};
  const int ranks = spec.ranks_of_shard_group();
  if (ranks == 1)
    return place_of_groups(spec) +
           "each group of strategy hsdp has one rank, so nothing is divided: every rank holds all "
           "parameters, "
           "gradients and optimizer state; set train.hsdp.shard to 2 or more, or use strategy: ddp";
  if (ranks < world_size) return {};
  return fmt::format(
      "{}all {} ranks are in one group, so strategy hsdp does what fsdp does; set strategy: fsdp, or a "
      "smaller "
      "train.hsdp.shard",
      place_of_groups(spec), world_size);
}

std::string explain_end_at_time_limit(const RunSpec& spec) {
  return "fault_tolerance.requeue: at the time limit the job is requeued only if the program calls "
         "should_stop() (docs/python.md), or ends by itself after the signal of fault_tolerance.signal, "
         "which "
         "comes " +
         render_duration(spec.fault_tolerance.signal_lead) + " before the limit";
}

}  // namespace

std::vector<std::string> warn_of_spec(const RunSpec& spec) {
  std::vector<std::string> warnings = warn_of_args(spec);
  for (auto& warning : warn_of_command(spec)) warnings.push_back(std::move(warning));
  if (share_gpus(spec)) warnings.push_back(explain_shared_gpus(spec));
  if (shards_one_block(spec)) warnings.push_back(explain_one_block(spec));
  if (leaves_gpus_idle(spec)) warnings.push_back(explain_idle_gpus(spec));
  if (auto groups = explain_groups(spec); !groups.empty()) warnings.push_back(std::move(groups));
  if (may_lose_all_steps(spec)) {
    warnings.emplace_back(
        "checkpoints are written only at a stop and at the end: a node failure loses all steps until then; "
        "set train.checkpoint.every, every_steps or every_epochs");
  }
  if (spec.launcher->warn != nullptr) spec.launcher->warn(spec, warnings);
  return warnings;
}

std::vector<std::string> advise_on_spec(const RunSpec& spec) {
  if (!may_end_at_time_limit(spec)) return {};
  return {explain_end_at_time_limit(spec)};
}

}  // namespace ddp::cli
