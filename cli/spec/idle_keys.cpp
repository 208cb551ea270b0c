#include "cli/spec/idle_keys.hpp"

#include "jobenv/config/diagnostic.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/record/plan/notify_event.hpp"

namespace ddp::cli {
namespace {

/// A key, and why it has no effect in a run of `spec`; empty: it has one.
struct IdleKey {
  const char* path;
  std::string (*why)(const RunSpec& spec);
};

std::string launcher_that(const RunSpec& spec, const std::string& lacks) {
  return "launcher '" + std::string(spec.launcher->name) + "' " + lacks;
}

std::string no_backend(const RunSpec& spec) {
  const bool used = spec.train || spec.rendezvous.backend == "mpi";
  return used ? "" : "the program under `command` chooses its own";
}

std::string no_shared_memory(const RunSpec& spec) {
  if (!spec.train) return "it applies to `train` only";
  return spec.rendezvous.backend == "mpi" ? "MPI shares memory by itself" : "";
}

std::string no_fewer_nodes(const RunSpec& spec) {
  return spec.launcher->starts_with_fewer_nodes ? "" : launcher_that(spec, "starts with all nodes or none");
}

std::string no_queue(const RunSpec& spec) {
  return spec.launcher->has_scheduler() || !spec.fault_tolerance.requeue
             ? ""
             : launcher_that(spec, "has no queue");
}

std::string no_requeues(const RunSpec& spec) {
  return spec.fault_tolerance.requeue ? "" : "fault_tolerance.requeue is false";
}

/// `auto` sends none to a command whose time limit leaves no time for it.
std::string explain_missing_time(const RunSpec& spec) {
  return "with a resources.time of " + render_duration(*spec.resources.time) +
         " no signal is sent, because too little time is left before it; " + advise_on_signal_lead(spec);
}

std::string no_signal(const RunSpec& spec) {
  if (spec.launcher->traits.time_limit == TimeLimitBy::head)
    return launcher_that(spec, "stops the run at its time limit, not before");
  if (spec.fault_tolerance.signal == "none") return "fault_tolerance.signal is none";
  if (!spec.stop_signal()) return explain_missing_time(spec);
  return spec.resources.time || spec.fault_tolerance.requeue ? "" : "the run has no resources.time";
}

std::string no_points(const RunSpec& spec) {
  if (spec.sweep.empty()) return "there is no sweep";
  return spec.launcher->has_scheduler() ? "" : launcher_that(spec, "runs one point after another");
}

std::string no_replicas(const RunSpec& spec) {
  const bool used = spec.train && trainer::has_replicas(*spec.train);
  return used ? "" : "train.strategy is not data_parallel";
}

std::string no_blocks(const RunSpec& spec) {
  return spec.model_has_no_blocks() ? "the model '" + spec.train->model.name + "' has no blocks" : "";
}

std::string no_other_ranks(const RunSpec& spec) {
  return spec.world_size() == 1 ? "the run has one rank" : "";
}

/// Only what comes over a network can come while a block computes.
std::string no_prefetch(const RunSpec& spec) {
  if (auto why = no_other_ranks(spec); !why.empty()) return why;
  const int ranks = spec.ranks_of_shard_group();
  if (ranks == 1) return "each group has one rank";
  if (auto why = no_blocks(spec); !why.empty()) return why;
  const bool within_nodes = spec.resources.tasks_per_node % ranks == 0;
  return within_nodes && spec.rendezvous.shared_memory && spec.rendezvous.backend != "mpi"
             ? "ranks that share the memory of a node gather a block when it is needed"
             : "";
}

std::string no_groups(const RunSpec& spec) {
  return spec.train->strategy.get<std::int64_t>("shard") == 0 ? "" : no_other_ranks(spec);
}

std::string no_replicas_to_compare(const RunSpec& spec) {
  const bool is_off = spec.train->strategy.get<std::int64_t>("verify_every_steps") == 0;
  return is_off || spec.ranks_of_shard_group() < spec.world_size() ? "" : "all ranks are in one group";
}

std::string no_notify(const RunSpec& spec) {
  return spec.notify.command.empty() ? "there is no notify.command" : "";
}

/// Why a run of `spec` never has that event; empty: it may.
std::string no_event(const RunSpec& spec, NotifyEvent event) {
  switch (event) {
    case NotifyEvent::restarted:
      return spec.max_restarts() > 0 ? "" : "fault_tolerance.max_restarts is 0";
    case NotifyEvent::requeued:
      if (!spec.launcher->has_scheduler()) return launcher_that(spec, "has no queue");
      return no_requeues(spec);
    case NotifyEvent::hang_suspected:
      if (!spec.hang_timeout()) return "fault_tolerance.hang_timeout is off";
      return spec.train ? "a training that hangs is restarted, or fails" : "";
    case NotifyEvent::checkpoint_failed:
      return spec.train ? "" : "only `train` reports it";
    case NotifyEvent::ended:
    case NotifyEvent::failed:
    case NotifyEvent::first_step:
      break;
  }
  return {};
}

void add_idle_events(const RunSpec& spec, std::vector<std::string>& lines) {
  for (std::size_t index = 0; index < spec.notify.events.size(); ++index) {
    const auto& name = spec.notify.events[index];
    const auto mark = spec.origins.mark(item_path("notify.events", index));
    const auto event = parse_notify_event(name);
    const auto reason = mark && event ? no_event(spec, *event) : std::string();
    if (!reason.empty())
      lines.push_back(render_place(*mark) + ": '" + name + "' in notify.events has no effect: " + reason);
  }
}

std::string no_copy(const RunSpec& spec) {
  return spec.environment.snapshot && spec.train ? "it applies to `command` only" : "";
}

std::string no_copy_to_limit(const RunSpec& spec) {
  return spec.keeps_snapshot() ? "" : "no working tree is copied (environment.snapshot)";
}

std::string diff_recorded_anyway(const RunSpec& spec) {
  return spec.keeps_snapshot() ? "environment.snapshot records the diff, too" : "";
}

constexpr IdleKey kIdleKeys[] = {
    {"environment.snapshot", no_copy},
    {"environment.snapshot_limit", no_copy_to_limit},
    {"environment.record_diff", diff_recorded_anyway},
    {"rendezvous.backend", no_backend},
    {"rendezvous.shared_memory", no_shared_memory},
    {"fault_tolerance.min_nodes", no_fewer_nodes},
    {"fault_tolerance.requeue", no_queue},
    {"fault_tolerance.max_requeues", no_requeues},
    {"fault_tolerance.signal_lead", no_signal},
    {"notify.events", no_notify},
    {"sweep_options.at_once", no_points},
    {"train.data_parallel.replicas", no_replicas},
    {"train.fsdp.reshard_after_forward", no_blocks},
    {"train.fsdp.prefetch", no_prefetch},
    {"train.hsdp.reshard_after_forward", no_blocks},
    {"train.hsdp.prefetch", no_prefetch},
    {"train.hsdp.shard", no_groups},
    {"train.hsdp.verify_every_steps", no_replicas_to_compare},
};

}  // namespace

std::vector<std::string> find_idle_keys(const RunSpec& spec) {
  std::vector<std::string> lines;
  for (const auto& [path, why] : kIdleKeys) {
    const auto mark = spec.origins.mark(path);
    const auto reason = mark ? why(spec) : std::string();
    if (!reason.empty()) lines.push_back(render_place(*mark) + ": " + path + " has no effect: " + reason);
  }
  if (!spec.notify.command.empty()) add_idle_events(spec, lines);
  return lines;
}

}  // namespace ddp::cli
