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
  return spec.world_size() > 1 && spec.train && is_fully_sharded(*spec.train) && spec.model_has_no_blocks();
}

std::string explain_one_block(const RunSpec& spec) {
  const auto mark = spec.origins.mark("train.strategy");
  return fmt::format(
      "{0}the model '{1}' has no blocks, so strategy {2} saves little: every rank holds all parameters and "
      "gradients during forward and backward; use a model with blocks, such as resnet18 or one of your own "
      "(docs/sharding.md), or strategy: ddp with ddp.shard_optimizer: true",
      mark ? render_place(*mark) + ": " : "", spec.train->model.name, spec.train->strategy.name);
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
