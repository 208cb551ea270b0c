#include "jobenv/record/launch_plan.hpp"

#include <algorithm>

#include "jobenv/record/json_fields.hpp"
#include "jobenv/record/signal_name.hpp"

namespace ddp {
namespace {

constexpr const char* kPlanSchema = "ddpsubmit.launch_plan.v1";
constexpr int kMaxCount = 1 << 20;

void expect_absolute(JsonFields& fields, const char* name, const std::string& path) {
  fields.expect(path.starts_with('/'), name, "is not an absolute path");
}

/// A plan of an earlier version has no traits.
void read_launcher(JsonFields& fields, LaunchPlan& plan) {
  fields.read("launcher", plan.launcher);
  if (!fields.has("launcher_traits")) {
    const auto traits = traits_of_earlier_launcher(plan.launcher);
    fields.expect(traits.has_value(), "launcher", "has the unknown value '" + plan.launcher + "'");
    plan.traits = traits.value_or(LauncherTraits{});
    return;
  }
  auto traits = parse_launcher_traits(fields.value_of("launcher_traits"));
  fields.expect(traits.has_value(), "launcher_traits", traits ? "" : "is refused: " + traits.error().message);
  plan.traits = std::move(traits).value_or(LauncherTraits{});
}

void read_job(JsonFields& fields, LaunchPlan& plan) {
  fields.read("run_id", plan.run_id);
  fields.expect(!plan.run_id.empty(), "run_id", "is empty");
  fields.read("run_dir", plan.run_dir);
  expect_absolute(fields, "run_dir", plan.run_dir);
  read_launcher(fields, plan);
  if (fields.has("shared_folder")) fields.read("shared_folder", plan.shared_folder);
  fields.read("nodes", plan.nodes, 1, kMaxCount);
  if (fields.has("hosts")) fields.read("hosts", plan.hosts);
  const bool names_all = static_cast<int>(plan.hosts.size()) == plan.nodes;
  fields.expect(plan.traits.names_hosts ? names_all : plan.hosts.empty(), "hosts",
                "does not name a host for each node");
  fields.read("tasks_per_node", plan.tasks_per_node, 1, kMaxCount / plan.nodes);
  fields.read("cpus_per_task", plan.cpus_per_task, 1, kMaxCount);
  fields.read("gpus_per_node", plan.gpus_per_node, 0, kMaxCount);
}

void read_program(JsonFields& fields, LaunchPlan& plan) {
  fields.read("program", plan.program, {ProgramKind::trainer, ProgramKind::command});
  fields.read("argv", plan.argv);
  fields.expect(!plan.argv.empty() && !plan.argv.front().empty(), "argv", "names no program");
  fields.read("work_dir", plan.work_dir);
  expect_absolute(fields, "work_dir", plan.work_dir);
  fields.read("agent", plan.agent);
  expect_absolute(fields, "agent", plan.agent);
  fields.read("set", plan.set);
  for (const auto& [name, value] : plan.set) {
    fields.expect(!name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string::npos, "set",
                  "holds '" + name + "', which is no name of a variable");
  }
  if (fields.has("library_folder")) fields.read("library_folder", plan.library_folder);
  fields.read("setup", plan.setup);
  if (fields.has("setup_places")) fields.read("setup_places", plan.setup_places);
  fields.expect(plan.setup_places.empty() || plan.setup_places.size() == plan.setup.size(), "setup_places",
                "is not as long as setup");
}

void read_limits(JsonFields& fields, LaunchPlan& plan) {
  fields.read("interface", plan.interface);
  fields.read("rendezvous_timeout_seconds", plan.rendezvous_timeout);
  fields.read("time_limit_seconds", plan.time_limit);
  fields.read("stop_signal", plan.stop_signal);
  fields.expect(!plan.stop_signal || parse_signal(*plan.stop_signal), "stop_signal",
                "is '" + plan.stop_signal.value_or("") + "', which is no signal");
  fields.read("signal_lead_seconds", plan.signal_lead);
  fields.read("grace_period_seconds", plan.grace_period);
  fields.read("exit_timeout_seconds", plan.exit_timeout);
  if (fields.has("hang_timeout_seconds")) {
    plan.hang_timeout.reset();
    fields.read("hang_timeout_seconds", plan.hang_timeout);
    fields.expect(plan.hang_timeout != std::chrono::seconds(0), "hang_timeout_seconds", "is 0");
  }
  fields.read("max_restarts", plan.max_restarts, 0);
  if (fields.has("fewer_nodes")) fields.read("fewer_nodes", plan.fewer_nodes);
  const bool fewer =
      std::ranges::is_sorted(plan.fewer_nodes) &&
      std::ranges::all_of(plan.fewer_nodes, [&](int count) { return count > 0 && count < plan.nodes; });
  fields.expect(fewer, "fewer_nodes", "is no ascending list of numbers below `nodes`");
  fields.read("resumes", plan.resumes);
  fields.read("requeue", plan.requeue);
  fields.read("max_requeues", plan.max_requeues, 0);
}

void read_waits(JsonFields& fields, LaunchPlan& plan) {
  if (!fields.has("waits_milliseconds")) return;
  const auto waits = parse_waits(fields.value_of("waits_milliseconds"));
  fields.expect(waits.has_value(), "waits_milliseconds", waits ? "" : "is refused: " + waits.error().message);
  plan.waits = waits.value_or(Waits{});
}

}  // namespace

std::string_view name_of(ProgramKind program) {
  return program == ProgramKind::trainer ? "trainer" : "command";
}

RankLayout layout_of(const LaunchPlan& plan) {
  const auto nodes = static_cast<std::size_t>(plan.nodes);
  return RankLayout::make(std::vector<int>(nodes, plan.tasks_per_node)).value();
}

nlohmann::json to_json(const LaunchPlan& plan) {
  nlohmann::json json = {{"schema", kPlanSchema},
                         {"run_id", plan.run_id},
                         {"run_dir", plan.run_dir},
                         {"launcher", plan.launcher},
                         {"launcher_traits", to_json(plan.traits)},
                         {"hosts", plan.hosts},
                         {"shared_folder", plan.shared_folder},
                         {"nodes", plan.nodes},
                         {"tasks_per_node", plan.tasks_per_node},
                         {"cpus_per_task", plan.cpus_per_task},
                         {"gpus_per_node", plan.gpus_per_node},
                         {"program", name_of(plan.program)},
                         {"argv", plan.argv},
                         {"work_dir", plan.work_dir},
                         {"agent", plan.agent},
                         {"set", plan.set},
                         {"library_folder", plan.library_folder},
                         {"setup", plan.setup},
                         {"setup_places", plan.setup_places},
                         {"interface", plan.interface},
                         {"rendezvous_timeout_seconds", plan.rendezvous_timeout.count()},
                         {"time_limit_seconds", nullptr},
                         {"stop_signal", nullptr},
                         {"signal_lead_seconds", plan.signal_lead.count()},
                         {"grace_period_seconds", plan.grace_period.count()},
                         {"exit_timeout_seconds", plan.exit_timeout.count()},
                         {"hang_timeout_seconds", nullptr},
                         {"max_restarts", plan.max_restarts},
                         {"fewer_nodes", plan.fewer_nodes},
                         {"resumes", plan.resumes},
                         {"requeue", plan.requeue},
                         {"max_requeues", nullptr}};
  if (plan.time_limit) json["time_limit_seconds"] = plan.time_limit->count();
  if (plan.hang_timeout) json["hang_timeout_seconds"] = plan.hang_timeout->count();
  if (plan.stop_signal) json["stop_signal"] = *plan.stop_signal;
  if (plan.max_requeues) json["max_requeues"] = *plan.max_requeues;
  if (plan.waits != Waits{}) json["waits_milliseconds"] = to_json(plan.waits);
  return json;
}

Expected<LaunchPlan> parse_launch_plan(const nlohmann::json& json) {
  LaunchPlan plan;
  JsonFields fields(json, "launch plan", kPlanSchema);
  read_job(fields, plan);
  read_program(fields, plan);
  read_limits(fields, plan);
  read_waits(fields, plan);
  if (auto problem = fields.problem(ExitCode::config_invalid)) return tl::unexpected(std::move(*problem));
  return plan;
}

}  // namespace ddp
