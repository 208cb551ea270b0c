#include "cli/launch/plan/launch_plan_builder.hpp"

#include "cli/spec/command_args.hpp"
#include "jobenv/config/diagnostic.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/record/ledger/index_list.hpp"

namespace ddp::cli {
namespace {

/// Of every line of environment.setup; empty when they were not read from a text.
std::vector<std::string> places_of_setup(const RunSpec& spec) {
  std::vector<std::string> places;
  for (std::size_t line = 0; line < spec.environment.setup.size(); ++line) {
    const auto mark = spec.origins.mark(item_path("environment.setup", line));
    if (!mark) return {};
    places.push_back(render_place(*mark));
  }
  return places;
}

/// A command need not expect a signal that the file does not name.
StopSignalFor choose_stop_signal_for(const RunSpec& spec) {
  const bool expected = spec.train || spec.fault_tolerance.signal != "auto";
  return expected ? StopSignalFor::all_ranks : StopSignalFor::heeding_ranks;
}

/// Of a command whose file names no hang_timeout a hang is only told.
HangAnswer choose_hang_answer(const RunSpec& spec) {
  return spec.train || spec.fault_tolerance.hang_timeout != "auto" ? HangAnswer::restart : HangAnswer::tell;
}

/// How long each part may take, and what happens then.
void set_limits(const RunSpec& spec, LaunchPlan& plan) {
  plan.rendezvous_timeout = spec.rendezvous.timeout;
  plan.time_limit = spec.resources.time;
  plan.stop_signal = spec.stop_signal();
  plan.stop_signal_for = choose_stop_signal_for(spec);
  plan.signal_lead = spec.fault_tolerance.signal_lead;
  plan.grace_period = spec.fault_tolerance.grace_period;
  plan.exit_timeout = spec.fault_tolerance.exit_timeout;
  plan.hang_timeout = spec.hang_timeout();
  plan.hang_answer = choose_hang_answer(spec);
}

}  // namespace

LaunchPlan make_launch_plan(const RunSpec& spec, const RunFolder& folder, const PlanPaths& paths) {
  LaunchPlan plan;
  plan.run_id = folder.run_id();
  plan.name = spec.name;
  plan.run_dir = folder.root();
  const LauncherRow& launcher = *spec.launcher;
  plan.launcher = launcher.name;
  plan.traits = launcher.traits;
  if (launcher.name_hosts != nullptr) plan.hosts = launcher.name_hosts(spec);
  plan.shared_folder = shares_folder(spec);
  plan.nodes = spec.resources.nodes;
  plan.tasks_per_node = spec.resources.tasks_per_node;
  plan.cpus_per_task = spec.resources.cpus_per_task;
  plan.gpus_per_node = spec.resources.gpus_per_node;
  plan.program = spec.train ? ProgramKind::trainer : ProgramKind::command;
  plan.argv =
      spec.train ? std::vector<std::string>{paths.trainer, "--config", folder.spec()} : command_of(spec);
  plan.work_dir = paths.work_dir;
  plan.agent = paths.agent;
  plan.libraries = paths.libraries;
  plan.set = spec.environment.set;
  if (launcher.traits.setup != SetupPlace::batch_script) {
    plan.setup = spec.environment.setup;
    plan.setup_places = places_of_setup(spec);
  }
  plan.interface = spec.rendezvous.interface;
  if (spec.rendezvous.backend == "mpi") plan.process_manager = ProcessManagerKind::pmi1;
  set_limits(spec, plan);
  plan.max_restarts = spec.max_restarts();
  plan.fewer_nodes = spec.fewer_nodes();
  plan.resumes = spec.train && spec.train->checkpoint.resume == trainer::Resume::automatic;
  plan.notify_command = spec.notify.command;
  plan.notify_events = spec.notify_events();
  plan.requeue = launcher.has_scheduler() && spec.fault_tolerance.requeue;
  if (const auto limit = spec.fault_tolerance.max_requeues) plan.max_requeues = static_cast<int>(*limit);
  if (launcher.complete_plan != nullptr) launcher.complete_plan(spec, plan);
  return plan;
}

std::vector<std::string> head_command(const LaunchPlan& plan) {
  return {plan.agent, "head", "--run-dir", plan.run_dir};
}

std::vector<std::string> node_command(const LaunchPlan& plan) {
  return {plan.agent, "kept-node", "--run-dir", plan.run_dir, "--node-rank", "K"};
}

std::vector<std::string> sweep_command(const LaunchPlan& plan, const std::vector<int>& points,
                                       const std::string& token) {
  return {plan.agent, "sweep", "--run-dir", plan.run_dir, "--points", render_index_list(points),
          "--token",  token};
}

}  // namespace ddp::cli
